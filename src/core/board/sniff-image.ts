// What kind of image some bytes are, whatever a name or a sender claims. Pure.

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml'

/** Names that may be images: only a hint for what to offer. */
const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp|svg)$/i

export function isImageName(path: string): boolean {
  return IMAGE_NAME.test(path)
}

/** null: none that a page shows. */
export function sniffImage(bytes: Uint8Array): ImageType | null {
  const starts = (signature: readonly number[], at = 0) => signature.every((byte, index) => bytes[at + index] === byte)
  if (starts([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png'
  if (starts([0xff, 0xd8, 0xff])) return 'image/jpeg'
  if (starts([0x47, 0x49, 0x46, 0x38]) && (bytes[4] === 0x37 || bytes[4] === 0x39) && bytes[5] === 0x61)
    return 'image/gif'
  if (starts([0x52, 0x49, 0x46, 0x46]) && starts([0x57, 0x45, 0x42, 0x50], 8)) return 'image/webp'
  return isSvg(bytes) ? 'image/svg+xml' : null
}

const HEAD_BYTES = 1_024
/** A declaration, comments and a doctype may come before the element. */
const SVG_HEAD = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[^>]*-->\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i

function isSvg(bytes: Uint8Array): boolean {
  let head = ''
  for (const byte of bytes.subarray(0, HEAD_BYTES)) head += String.fromCharCode(byte)
  return SVG_HEAD.test(head.replace('\u00ef\u00bb\u00bf', ''))
}
