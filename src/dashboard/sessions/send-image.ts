// Sends a picture so that it can only be one: its kind is what its bytes are, nothing in it runs, and it loads nothing.
import type { ServerResponse } from 'node:http'
import { AoError } from '../../contract/errors.ts'
import { type ImageType, sniffImage } from '../../core/board/sniff-image.ts'

/** Opened by itself, a picture is still only a picture. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

export function sendImage(response: ServerResponse, bytes: Buffer | null, kinds: 'all' | 'pixels'): undefined {
  const type = bytes === null ? null : sniffImage(bytes)
  if (bytes === null || type === null || (kinds === 'pixels' && type === 'image/svg+xml')) {
    throw new AoError('IMAGE_NOT_FOUND', 'There is no picture that can be shown')
  }
  response.setHeader('content-security-policy', POLICY)
  response.setHeader('content-disposition', `attachment; filename="picture.${EXTENSIONS[type]}"`)
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length })
  response.end(bytes)
}

const EXTENSIONS: Record<ImageType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
}
