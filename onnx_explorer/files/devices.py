"""Placement on devices: protobuf messages to and from the model's own objects."""

from __future__ import annotations

from onnx_explorer.files.wire import proto_text
from onnx_explorer.ir import DeviceConfiguration, NodeDevices, ShardedDim, Sharding
from onnx_explorer.proto import onnx_explorer_pb2 as pb


def read_configuration(raw: bytes) -> DeviceConfiguration:
    """A set of devices that the model declares."""
    proto = pb.DeviceConfigurationProto.FromString(raw)
    return DeviceConfiguration(
        proto_text(proto.name), proto.num_devices, tuple(map(proto_text, proto.device))
    )


def write_configuration(value: DeviceConfiguration) -> bytes:
    """The DeviceConfigurationProto."""
    return pb.DeviceConfigurationProto(
        name=value.name, num_devices=value.num_devices, device=value.devices
    ).SerializeToString()


def read_placement(raw: bytes) -> NodeDevices:
    """How a node is spread over the devices of one configuration."""
    proto = pb.NodeDeviceConfigurationProto.FromString(raw)
    return NodeDevices(
        proto_text(proto.configuration_id),
        tuple(map(_read_sharding, proto.sharding_spec)),
        proto.pipeline_stage if proto.HasField("pipeline_stage") else None,
    )


def _read_sharding(proto: pb.ShardingSpecProto) -> Sharding:
    return Sharding(
        proto_text(proto.tensor_name),
        tuple(proto.device),
        tuple((entry.key, tuple(entry.value)) for entry in proto.index_to_device_group_map),
        tuple(
            ShardedDim(
                dim.axis, tuple((_size(piece), piece.num_shards) for piece in dim.simple_sharding)
            )
            for dim in proto.sharded_dim
        ),
    )


def _size(proto: pb.SimpleShardedDimProto) -> int | str | None:
    match proto.WhichOneof("dim"):
        case "dim_value":
            return proto.dim_value
        case "dim_param":
            return proto_text(proto.dim_param)
        case _:
            return None


def write_placement(value: NodeDevices) -> bytes:
    """The NodeDeviceConfigurationProto."""
    proto = pb.NodeDeviceConfigurationProto(
        configuration_id=value.configuration, pipeline_stage=value.pipeline_stage
    )
    for sharding in value.sharding:
        spec = proto.sharding_spec.add(tensor_name=sharding.tensor, device=sharding.devices)
        for key, members in sharding.groups:
            spec.index_to_device_group_map.add(key=key, value=members)
        for sharded in sharding.dims:
            dim = spec.sharded_dim.add(axis=sharded.axis)
            for size, shards in sharded.pieces:
                piece = dim.simple_sharding.add(num_shards=shards)
                if isinstance(size, int):
                    piece.dim_value = size
                elif size is not None:
                    piece.dim_param = size
    return proto.SerializeToString()
