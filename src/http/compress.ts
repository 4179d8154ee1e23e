// Compression of what is sent once and whole. Streams are never compressed: what happens must leave at once.
import type { IncomingMessage } from 'node:http'

/** Less is one packet anyway. */
const WORTH_IT = 1_400
/** The higher levels take several times as long for a few percent. */
const LEVEL = 4

export function isWorthCompressing(request: IncomingMessage | undefined, text: string): boolean {
  return text.length >= WORTH_IT && request !== undefined && acceptsEncoding(request, 'gzip')
}

/** By name only: `*` is not taken for a yes, and `q=0` is a no. */
export function acceptsEncoding({ headers }: Pick<IncomingMessage, 'headers'>, encoding: 'br' | 'gzip'): boolean {
  const accepted = headers['accept-encoding']
  const listed = (Array.isArray(accepted) ? accepted.join(',') : (accepted ?? '')).toLowerCase().split(',')
  return listed.some((item) => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

export async function gzipText(text: string): Promise<Buffer> {
  const { gzip } = await import('node:zlib')
  return new Promise((resolve, reject) => {
    gzip(text, { level: LEVEL }, (error, bytes) => (error ? reject(error) : resolve(bytes)))
  })
}
