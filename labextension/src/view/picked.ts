/** Files that a person picked: pictures are read by the browser, which knows their formats. */
import { pictureSize } from "../core/inputs";

export function isPicture(file: File): boolean {
  return file.type.startsWith("image/");
}

export interface Pixels {
  readonly data: ArrayBuffer;
  readonly height: number;
  readonly width: number;
}

/** Red, green, blue and alpha of each pixel, at the size that is declared. */
export async function pixelsOf(
  file: File,
  declared: { readonly height: number; readonly width: number },
): Promise<Pixels> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`${file.name} is no picture that this browser can read.`);
  });
  const { height, width } = pictureSize(bitmap, declared);
  const canvas = document.createElement("canvas");
  canvas.height = height;
  canvas.width = width;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser gives no canvas to read a picture with.");
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return { data: context.getImageData(0, 0, width, height).data.buffer, height, width };
}
