// One request and its JSON response: reading bodies with a limit, writing results and errors in the one shape, compressed where
// that is worth it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type * as z from 'zod/mini'
import { AoError, errorText } from '../contract/errors.ts'
import { explainSystemError } from '../contract/explain-error.ts'
import { ownFiles } from '../lib/process/own-files.ts'

const MAX_BODY_BYTES = 8 * 1024 * 1024

export function parseBody<S extends z.ZodMiniType>(
  { headers }: IncomingMessage,
  bytes: Buffer,
  schema: S,
  docs: string,
): z.infer<S> {
  const text = bytes.toString('utf8')
  // A form on another page can send text, but not this type.
  if (text !== '' && !/^application\/json\b/.test(headers['content-type'] ?? '')) {
    throw new AoError('USAGE', 'The body must have the content type application/json', {
      hint: 'Add: -H "Content-Type: application/json"',
    })
  }
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch (error) {
    throw new AoError('USAGE', `The body is not valid JSON: ${errorText(error)}`, { hint: 'Send one JSON object' })
  }
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data as z.infer<S>
  throw new AoError('USAGE', `The request is wrong: ${checked.error.issues.map(describeIssue).join('; ')}`, {
    hint: `See ${docs}`,
  })
}

/** zod/mini has one message for everything; the key and the expectation have to come from the issue. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const key = issue.path.map(String).join('.') || 'the body'
  if (issue.code === 'unrecognized_keys') return `${key} has unknown keys: ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_type') return `${key} is missing or is not of type ${issue.expected}`
  if (issue.code === 'invalid_value') return `${key} must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small') return `${key} is too small or too short; the least is ${issue.minimum}`
  if (issue.code === 'too_big') return `${key} is too large or too long; the most is ${issue.maximum}`
  return `${key} ${issue.message === 'Invalid input' ? 'is not valid' : issue.message}`
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendJsonText(response, status, JSON.stringify(value))
}

/** For what is already text. */
export function sendJsonText(response: ServerResponse, status: number, text: string, type = 'application/json'): void {
  if (response.destroyed || response.headersSent) return
  const headers = { 'content-type': type, 'cache-control': 'no-store' }
  if (!isWorthCompressing(response.req, text)) {
    response.writeHead(status, headers).end(`${text}\n`)
    return
  }
  // Whoever counts what was answered looks at it now.
  response.statusCode = status
  gzipText(`${text}\n`).then(
    (bytes) => {
      if (response.destroyed || response.headersSent) return
      response.writeHead(status, { ...headers, 'content-encoding': 'gzip', 'content-length': bytes.length }).end(bytes)
    },
    () => response.destroy(),
  )
}

/** Less is one packet anyway. Streams are never compressed: what happens must leave at once. */
const WORTH_IT = 1_400
/** The higher levels take several times as long for a few percent. */
const LEVEL = 4

function isWorthCompressing(request: IncomingMessage | undefined, text: string): boolean {
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

async function gzipText(text: string): Promise<Buffer> {
  const { gzip } = await import('node:zlib')
  return new Promise((resolve, reject) => {
    gzip(text, { level: LEVEL }, (error, bytes) => (error ? reject(error) : resolve(bytes)))
  })
}

export function sendError(response: ServerResponse, error: unknown): void {
  const explained = toAoError(error)
  sendErrorJson(response, explained.httpStatus, explained.toJSON())
}

export function toAoError(error: unknown): AoError {
  if (error instanceof AoError) return error
  if ((error as NodeJS.ErrnoException | null)?.code === 'ERR_MODULE_NOT_FOUND' && ownFiles() !== 'same')
    return replaced(error)
  return explainSystemError(error) ?? new AoError('INTERNAL', errorText(error), { cause: error })
}

function replaced(cause: unknown): AoError {
  return new AoError('PROGRAM_REPLACED', 'Another version of ao is being installed, and this process has to restart', {
    cause,
  })
}

/** In the form that the client accepts. */
export function sendErrorJson(response: ServerResponse, status: number, json: ReturnType<AoError['toJSON']>): void {
  if (!response.req?.headers.accept?.includes(PROBLEM_JSON)) {
    sendJson(response, status, json)
    return
  }
  const { code, message, ...more } = json.error
  const problem = { type: 'about:blank', title: code, status, detail: message, ...more }
  sendJsonText(response, status, JSON.stringify(problem), PROBLEM_JSON)
}

/** RFC 9457, for clients that ask for it. */
const PROBLEM_JSON = 'application/problem+json'

function tooLarge(most: number): AoError {
  return new AoError('BODY_TOO_LARGE', `The body is larger than ${most / 2 ** 20} MB`, {
    hint: 'Put a large text into a file of the workspace and send its path',
  })
}

/** Each header once; repeated ones joined as HTTP allows. */
export function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

/** The whole body; a longer one is refused. */
export async function readBytes(request: IncomingMessage, most = MAX_BODY_BYTES): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw tooLarge(most)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
