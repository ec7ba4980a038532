/** Scenes made by hand and by rule, for the tests and for the page. */
import type {
  AttributeRow,
  BoxKind,
  Category,
  Figure,
  GroupKind,
  Mark,
  ProblemRow,
  SceneColumns,
} from "../src/protocol/scene";

interface NodeOptions {
  readonly group?: number;
  readonly detail?: string;
  readonly category?: Category;
  readonly attributes?: AttributeRow[];
  readonly problems?: ProblemRow[];
  readonly doc?: string;
  readonly bytes?: Figure;
  readonly macs?: Figure;
  readonly flops?: Figure;
  /** Names of initializers that are folded into the node. */
  readonly weights?: readonly [port: string, name: string, type: string][];
}

interface ValueOptions {
  readonly mark?: Mark;
  readonly note?: string;
}

/** Writes columns box by box; values connect by name, as they do in a model. */
export class SceneBuilder {
  readonly columns: SceneColumns;
  readonly #producer = new Map<string, number>();
  readonly #type = new Map<string, string>();
  readonly #options = new Map<string, ValueOptions>();

  constructor(title: string) {
    this.columns = {
      version: 1,
      title,
      model: [],
      groups: { parent: [-1], label: [title], kind: ["root"], box: [-1] },
      boxes: {
        group: [],
        kind: [],
        id: [],
        op: [],
        domain: [],
        version: [],
        name: [],
        detail: [],
        category: [],
        attributes: [],
        inputs: [],
        outputs: [],
        doc: [],
        metadata: [],
        problems: [],
        bytes: [],
        macs: [],
        flops: [],
      },
      edges: {
        value: [],
        source: [],
        target: [],
        label: [],
        mark: [],
        note: [],
        declared: [],
        from_file: [],
      },
      initializers: { name: [], type: [], bytes: [], boxes: [], group: [], text: [], notes: [] },
      diagnostics: [],
    };
  }

  group(label: string, parent = 0, kind: GroupKind = "scope", box = -1): number {
    const { groups } = this.columns;
    groups.parent.push(parent);
    groups.label.push(label);
    groups.kind.push(kind);
    groups.box.push(box);
    return groups.label.length - 1;
  }

  input(name: string, type: string, group = 0): number {
    return this.#box("input", `in:${name}`, "", name, [], [[name, type]], {
      group,
      category: "io",
    });
  }

  output(value: string, group = 0): number {
    return this.#box("output", `out:${value}`, "", value, [value], [], { group, category: "io" });
  }

  node(
    op: string,
    name: string,
    inputs: readonly string[],
    outputs: readonly (readonly [value: string, type: string, options?: ValueOptions])[],
    options: NodeOptions = {},
  ): number {
    return this.#box("node", name, op, name, inputs, outputs, options);
  }

  diagnose(code: string, message: string, box: number): void {
    this.columns.diagnostics.push(["error", code, message, box, -1, []]);
  }

  json(): string {
    return JSON.stringify(this.columns);
  }

  #box(
    kind: BoxKind,
    id: string,
    op: string,
    name: string,
    inputs: readonly string[],
    outputs: readonly (readonly [value: string, type: string, options?: ValueOptions])[],
    options: NodeOptions,
  ): number {
    const { boxes, edges } = this.columns;
    const index = boxes.id.length;
    boxes.group.push(options.group ?? 0);
    boxes.kind.push(kind);
    boxes.id.push(id);
    boxes.op.push(op);
    boxes.domain.push("");
    boxes.version.push(kind === "node" ? 13 : 0);
    boxes.name.push(name);
    boxes.detail.push(options.detail ?? "");
    boxes.category.push(options.category ?? "other");
    boxes.attributes.push(options.attributes ?? []);
    boxes.doc.push(options.doc ?? "");
    boxes.metadata.push([]);
    boxes.problems.push(options.problems ?? []);
    boxes.bytes.push(options.bytes ?? "");
    boxes.macs.push(options.macs ?? "");
    boxes.flops.push(options.flops ?? "");
    boxes.inputs.push([
      ...inputs.map((value, i): [string, string, string] => [
        String.fromCharCode(65 + i),
        value,
        this.#type.get(value) ?? "",
      ]),
      ...(options.weights ?? []).map(([port, value, type]): [string, string, string] => [
        port,
        value,
        type,
      ]),
    ]);
    boxes.outputs.push(outputs.map(([value, type]) => ["Y", value, type]));
    for (const value of inputs) {
      const source = this.#producer.get(value);
      if (source === undefined) continue;
      const { mark = "known", note = "" } = this.#options.get(value) ?? {};
      edges.value.push(value);
      edges.source.push(source);
      edges.target.push(index);
      edges.label.push(this.#type.get(value) ?? "");
      edges.mark.push(mark);
      edges.note.push(note);
      edges.declared.push("");
      edges.from_file.push(0);
    }
    for (const [value, type, valueOptions = {}] of outputs) {
      this.#producer.set(value, index);
      this.#type.set(value, type);
      this.#options.set(value, valueOptions);
    }
    for (const [, weight, type] of options.weights ?? []) this.#weight(weight, type, index);
    return index;
  }

  /** A weight of the same name is the same one. */
  #weight(name: string, type: string, box: number): void {
    const { initializers } = this.columns;
    const known = initializers.boxes[initializers.name.indexOf(name)];
    if (known) {
      known.push(box);
      return;
    }
    initializers.name.push(name);
    initializers.type.push(type);
    initializers.bytes.push(4);
    initializers.boxes.push([box]);
    initializers.group.push(0);
    initializers.text.push("");
    initializers.notes.push([]);
  }
}

/** A small image classifier with nested scopes, an If with two bodies, an unknown and a mismatching edge. */
export function smallCnn(): SceneBuilder {
  const b = new SceneBuilder("digits.onnx");
  b.columns.model.push(
    ["opset", "ai.onnx 21"],
    ["IR version", "10"],
    ["producer", "onnx_explorer 0.1"],
    ["parameters", "12,810 (51 kB)"],
  );
  b.input("image", "float32[N, 1, 28, 28]");
  let x = "image";
  const features = b.group("features");
  for (const [stage, channels, size] of [
    [1, 16, 28],
    [2, 32, 14],
  ] as const) {
    const scope = b.group(`features/stage${stage}`, features);
    const name = `/features/stage${stage}`;
    const type = (s: number) => `float32[N, ${channels}, ${s}, ${s}]`;
    b.node("Conv", `${name}/conv/Conv`, [x], [[`${name}/conv_out`, type(size)]], {
      group: scope,
      category: "convolution",
      detail: `3×3, ${channels}`,
      attributes: [
        ["kernel_shape", "[3, 3]", 0],
        ["pads", "[1, 1, 1, 1]", 0],
        ["strides", "[1, 1]", 1],
        ["dilations", "[1, 1]", 1],
        ["group", "1", 1],
        ["auto_pad", "NOTSET", 1],
      ],
      weights: [
        ["W", `conv${stage}.weight`, `float32[${channels}, ${stage === 1 ? 1 : 16}, 3, 3]`],
        ["B", `conv${stage}.bias`, `float32[${channels}]`],
      ],
      doc: "Slides a window over the image and takes a weighted sum at each place.",
    });
    b.node(
      "BatchNormalization",
      `${name}/bn`,
      [`${name}/conv_out`],
      [[`${name}/bn_out`, type(size)]],
      {
        group: scope,
        category: "normalization",
        detail: "ε 1e-5",
      },
    );
    b.node("Relu", `${name}/relu`, [`${name}/bn_out`], [[`${name}/relu_out`, type(size)]], {
      group: scope,
      category: "activation",
    });
    b.node("Conv", `${name}/conv2/Conv`, [`${name}/relu_out`], [[`${name}/c2`, type(size)]], {
      group: scope,
      category: "convolution",
      detail: `1×1, ${channels}`,
    });
    b.node(
      "Add",
      `${name}/Add`,
      [`${name}/c2`, `${name}/relu_out`],
      [[`${name}/sum`, type(size)]],
      {
        group: scope,
        category: "elementwise",
      },
    );
    b.node("MaxPool", `${name}/pool`, [`${name}/sum`], [[`${name}/pooled`, type(size / 2)]], {
      group: scope,
      category: "pooling",
      detail: "2×2 /2",
    });
    x = `${name}/pooled`;
  }
  b.node("GlobalAveragePool", "gap", [x], [["gap_out", "float32[N, 32, 1, 1]"]], {
    category: "pooling",
  });
  b.node("Flatten", "flatten", ["gap_out"], [["flat", "float32[N, 32]"]], {
    category: "shape",
    detail: "axis 1",
  });
  b.node("ReduceMax", "peak", ["flat"], [["is_bright", "bool[]"]], { category: "reduction" });
  const branch = b.node(
    "If",
    "choose",
    ["is_bright"],
    [
      [
        "scaled",
        "float32[...]",
        { mark: "unknown", note: "the two branches give different ranks" },
      ],
    ],
    { category: "control", detail: "2 branches" },
  );
  for (const [which, op, category] of [
    ["then_branch", "Mul", "elementwise"],
    ["else_branch", "Identity", "tensor"],
  ] as const) {
    const body = b.group(which, 0, "subgraph", branch);
    b.node(op, `choose/${which}/${op}`, ["flat"], [[`choose/${which}/y`, "float32[N, 32]"]], {
      group: body,
      category,
    });
    b.output(`choose/${which}/y`, body);
  }
  const head = b.group("head");
  b.node(
    "Gemm",
    "/head/fc/Gemm",
    ["scaled"],
    [
      [
        "logits",
        "float32[N, 10]",
        {
          mark: "mismatch",
          note: "declared float32[N, 12], inferred float32[N, 10]",
        },
      ],
    ],
    {
      group: head,
      category: "matrix",
      detail: "32 → 10",
      weights: [["B", "fc.weight", "float32[10, 32]"]],
      problems: [["error", "declared float32[N, 12] contradicts inferred float32[N, 10]", "", []]],
    },
  );
  b.node("Softmax", "/head/softmax", ["logits"], [["probabilities", "float32[N, 10]"]], {
    group: head,
    category: "activation",
    detail: "axis -1",
  });
  b.output("probabilities");
  b.diagnose(
    "declared-differs",
    "value 'logits' is declared float32[N, 12], inference says float32[N, 10]",
    b.columns.boxes.id.indexOf("/head/fc/Gemm"),
  );
  return b;
}

/** A transformer encoder of some depth: a mask feeds every layer. */
export function transformer(layers: number): SceneBuilder {
  const b = new SceneBuilder(`encoder_${layers}.onnx`);
  const hidden = "float32[batch, seq, 256]";
  b.input("input_ids", "int64[batch, seq]");
  b.input("attention_mask", "int64[batch, seq]");
  const embeddings = b.group("embeddings");
  b.node("Gather", "/embeddings/word", ["input_ids"], [["words", hidden]], {
    group: embeddings,
    category: "tensor",
  });
  b.node("LayerNormalization", "/embeddings/norm", ["words"], [["h0", hidden]], {
    group: embeddings,
    category: "normalization",
  });
  const mask = b.group("mask");
  b.node("Cast", "/mask/Cast", ["attention_mask"], [["mask_f", "float32[batch, seq]"]], {
    group: mask,
    category: "tensor",
  });
  b.node("Sub", "/mask/Sub", ["mask_f"], [["mask_n", "float32[batch, seq]"]], {
    group: mask,
    category: "elementwise",
  });
  b.node("Mul", "/mask/Mul", ["mask_n"], [["bias", "float32[batch, 1, 1, seq]"]], {
    group: mask,
    category: "elementwise",
  });
  const encoder = b.group("encoder");
  let h = "h0";
  for (let i = 0; i < layers; i++) {
    const p = `/encoder/layer.${i}`;
    const layer = b.group(`encoder/layer.${i}`, encoder);
    const attention = b.group(`encoder/layer.${i}/attention`, layer);
    const heads = "float32[batch, 4, seq, 64]";
    for (const part of ["query", "key", "value"]) {
      b.node("MatMul", `${p}/attention/${part}/MatMul`, [h], [[`${p}/${part}_m`, hidden]], {
        group: attention,
        category: "matrix",
        detail: "256 → 256",
      });
      b.node(
        "Reshape",
        `${p}/attention/${part}/Reshape`,
        [`${p}/${part}_m`],
        [[`${p}/${part}_r`, "float32[batch, seq, 4, 64]"]],
        {
          group: attention,
          category: "shape",
        },
      );
      b.node(
        "Transpose",
        `${p}/attention/${part}/Transpose`,
        [`${p}/${part}_r`],
        [[`${p}/${part}`, heads]],
        {
          group: attention,
          category: "shape",
          detail: "0 2 1 3",
        },
      );
    }
    const scores = "float32[batch, 4, seq, seq]";
    b.node(
      "MatMul",
      `${p}/attention/MatMul`,
      [`${p}/query`, `${p}/key`],
      [[`${p}/scores`, scores]],
      { group: attention, category: "matrix" },
    );
    b.node("Add", `${p}/attention/Add`, [`${p}/scores`, "bias"], [[`${p}/masked`, scores]], {
      group: attention,
      category: "elementwise",
    });
    b.node("Softmax", `${p}/attention/Softmax`, [`${p}/masked`], [[`${p}/p`, scores]], {
      group: attention,
      category: "activation",
      detail: "axis -1",
    });
    b.node(
      "MatMul",
      `${p}/attention/MatMul_1`,
      [`${p}/p`, `${p}/value`],
      [[`${p}/context`, heads]],
      { group: attention, category: "matrix" },
    );
    b.node("Add", `${p}/Add`, [`${p}/context`, h], [[`${p}/a`, hidden]], {
      group: layer,
      category: "elementwise",
    });
    b.node("LayerNormalization", `${p}/norm1`, [`${p}/a`], [[`${p}/n`, hidden]], {
      group: layer,
      category: "normalization",
    });
    const mlp = b.group(`encoder/layer.${i}/mlp`, layer);
    b.node("MatMul", `${p}/mlp/up/MatMul`, [`${p}/n`], [[`${p}/up`, "float32[batch, seq, 1024]"]], {
      group: mlp,
      category: "matrix",
      detail: "256 → 1024",
    });
    b.node("Gelu", `${p}/mlp/Gelu`, [`${p}/up`], [[`${p}/g`, "float32[batch, seq, 1024]"]], {
      group: mlp,
      category: "activation",
    });
    b.node("MatMul", `${p}/mlp/down/MatMul`, [`${p}/g`], [[`${p}/down`, hidden]], {
      group: mlp,
      category: "matrix",
      detail: "1024 → 256",
    });
    b.node("Add", `${p}/Add_1`, [`${p}/down`, `${p}/n`], [[`${p}/b`, hidden]], {
      group: layer,
      category: "elementwise",
    });
    b.node("LayerNormalization", `${p}/norm2`, [`${p}/b`], [[`${p}/h`, hidden]], {
      group: layer,
      category: "normalization",
    });
    h = `${p}/h`;
  }
  b.node("MatMul", "/classifier/MatMul", [h], [["logits", "float32[batch, seq, 9]"]], {
    category: "matrix",
    detail: "256 → 9",
  });
  b.output("logits");
  return b;
}
