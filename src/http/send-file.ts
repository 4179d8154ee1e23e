// Sends bytes that strangers made, so that they can only be a picture or a download: their kind is what they are, nothing in them runs,
// and they load nothing.
import type { ServerResponse } from 'node:http'
import { AoError } from '../contract/errors.ts'
import { type ImageType, sniffImage } from '../core/board/sniff-image.ts'

/** Opened by itself, a picture is still only a picture. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

export function sendImage(response: ServerResponse, bytes: Buffer | null, kinds: 'all' | 'pixels'): undefined {
  const type = bytes === null ? null : sniffImage(bytes)
  if (bytes === null || type === null || (kinds === 'pixels' && type === 'image/svg+xml')) {
    throw new AoError('IMAGE_NOT_FOUND', 'There is no picture that can be shown')
  }
  return sendBytes(response, bytes, type, `picture.${EXTENSIONS[type]}`)
}

/** What went along with a message: a picture of pixels can be shown, everything else only be saved. */
export function sendAttachment(response: ServerResponse, bytes: Buffer): undefined {
  const type = sniffImage(bytes)
  if (type === null || type === 'image/svg+xml') {
    return sendBytes(response, bytes, 'application/octet-stream', 'attachment')
  }
  return sendBytes(response, bytes, type, `picture.${EXTENSIONS[type]}`)
}

function sendBytes(response: ServerResponse, bytes: Buffer, type: string, name: string): undefined {
  response.setHeader('content-security-policy', POLICY)
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('content-disposition', `attachment; filename="${name}"`)
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
