/** How the elements of each layer are made of a picture, placed and dressed, and which may stand for each other. */
import type { Rect } from "../core/curve";
import type { PictureLabel } from "../core/edge_labels";
import type { Picture, PictureCard, PictureFrame, PictureStub, PictureWire } from "../core/picture";
import { at, type Scene } from "../core/scene";
import type { Layer, Making } from "./layers";
import {
  cardShape,
  frameShape,
  type GroupCounts,
  headerShape,
  labelShape,
  type MarkerIds,
  placeLabelShape,
  placeShape,
  placeWireShape,
  stubShape,
  wireShape,
} from "./shapes";

export interface Drawn {
  readonly scene: Scene;
  readonly picture: Picture;
  readonly labels: readonly PictureLabel[];
  readonly counts: readonly GroupCounts[];
}

type Dresser = (index: number, element: SVGElement) => void;

/** Puts on what changes while the picture stays. */
export type Dressing = Readonly<Record<"frames" | "cards" | "wires" | "labels", Dresser>>;

/** The elements of a layer: where each lies, and how it comes to be. */
interface LayerMaking {
  readonly rects: readonly Rect[];
  readonly making: Making;
}

/** Of one thing of the picture. */
interface OneMaking<T> {
  likeness(thing: T): string;
  make(thing: T): SVGElement;
  place?(thing: T, element: SVGElement): void;
}

export function makingsOf(
  { scene, picture, labels, counts }: Drawn,
  markers: MarkerIds,
  dressing: Dressing,
): Record<Layer, LayerMaking> {
  const countsOf = ({ group, several }: PictureFrame) => (several ? undefined : counts[group]);
  const idOf = ({ kind, index }: PictureCard) =>
    kind === "group" ? "" : at(scene.boxes, index).id;
  return {
    frames: layer(picture.frames, { likeness: likenessOf, make: frameShape }, dressing.frames),
    headers: layer(picture.frames, {
      likeness: (frame) => likenessOf(frame, JSON.stringify(countsOf(frame) ?? null)),
      make: (frame) => headerShape(frame, countsOf(frame)),
    }),
    cards: layer(
      picture.cards,
      {
        likeness: (card) => likenessOf(card, idOf(card)),
        make: (card) => cardShape(scene, card),
      },
      dressing.cards,
    ),
    wires: layer(
      picture.wires,
      {
        likeness: wireLikeness,
        make: (wire) => wireShape(wire, markers),
        place: placeWireShape,
      },
      dressing.wires,
    ),
    stubs: layer(picture.stubs, { likeness: stubLikeness, make: stubShape }),
    labels: layer(
      labels,
      {
        likeness: labelLikeness,
        make: labelShape,
        place: (label, element) => placeLabelShape(label, element, picture.frames),
      },
      dressing.labels,
    ),
  };
}

function layer<T extends Rect>(
  things: readonly T[],
  { likeness, make, place = placeShape }: OneMaking<T>,
  dress?: Dresser,
): LayerMaking {
  return {
    rects: things,
    making: {
      likeness: (i) => likeness(at(things, i)),
      make: (i) => make(at(things, i)),
      place: (i, element) => {
        place(at(things, i), element);
        dress?.(i, element);
      },
    },
  };
}

/** All that a thing shows but its place. */
function likenessOf({ x: _x, y: _y, ...shown }: Rect, also = ""): string {
  return also + JSON.stringify(shown);
}

/** Of which edge it speaks is not seen; it goes on standing for the same value. */
function labelLikeness({
  value,
  lines,
  mark,
  scale,
  room,
  width,
  observed,
  fromFile,
}: PictureLabel): string {
  return `${value} ${lines.join("")} ${mark} ${scale} ${room} ${width} ${observed} ${fromFile}`;
}

function stubLikeness({ text, side, width }: PictureStub): string {
  return `${side} ${width} ${text}`;
}

/** A sign stands on the way; where there is none, any way will do. */
function wireLikeness({ mark, arrow, sign, path }: PictureWire): string {
  return `${mark} ${arrow} ${sign ? path : ""}`;
}
