// What the forge servers of the tests have in common: a loopback or Unix socket server that ends with its parent, a log of
// requests, and faults on demand. `POST /_control` with `{ op, … }` controls it; `GET /_control/requests` lists the
// requests.
import { createServer } from 'node:http'

/**
 * @param {{ answer(request: ForgeRequest): Promise<ForgeAnswer>, control(command: any): Promise<unknown> }} forge
 * @typedef {{ method: string, path: string, search: URLSearchParams, headers: Record<string, any>, body: Buffer }} ForgeRequest
 * @typedef {{ status: number, headers?: Record<string, string>, body?: unknown }} ForgeAnswer
 */
export function createForgeServer(forge) {
  const state = { faults: [], requests: [] }
  const server = createServer(async (incoming, outgoing) => {
    const request = await readRequest(incoming)
    try {
      const answer = await route(forge, state, request)
      if (answer === null) incoming.socket.destroy()
      else send(outgoing, request, answer)
    } catch (error) {
      send(outgoing, request, { status: 599, body: { message: String(error?.stack ?? error) } })
    }
  })
  // A test that waits for a program does nothing else meanwhile, and would then write into a connection that was closed.
  server.keepAliveTimeout = 0
  return server
}

/** Prints one line of JSON once it listens, and ends when its starter is gone. */
export function listen(server, { port = 0, socket } = {}, describe = (url) => ({ url })) {
  const target = socket === undefined ? [port, '127.0.0.1'] : [socket]
  server.listen(...target, () => {
    const url = socket ?? `http://127.0.0.1:${server.address().port}`
    process.stdout.write(`${JSON.stringify(describe(url))}\n`)
  })
  process.stdin.resume()
  process.stdin.on('end', () => process.exit(0))
}

async function route(forge, state, request) {
  if (request.path === '/_control/requests') return { status: 200, body: state.requests }
  if (request.path === '/_control') {
    const command = JSON.parse(request.body.toString())
    if (command.op === 'faults') state.faults.push(...command.faults)
    else if (command.op === 'clear') Object.assign(state, { faults: [], requests: [] })
    else return { status: 200, body: JSON.stringify((await forge.control(command)) ?? null) }
    return { status: 200, body: null }
  }
  const fault = nextFault(state, request)
  const entry = {
    method: request.method,
    path: request.path,
    ifNoneMatch: request.headers['if-none-match'] ?? null,
    authorization: request.headers.authorization ?? request.headers['private-token'] ?? null,
    body: request.body.length > 0 && request.body.length < 100_000 ? request.body.toString() : '',
    status: fault?.status ?? 0,
  }
  state.requests.push(entry)
  if (fault?.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
  if (fault?.apply) await forge.answer(request)
  if (fault?.drop) return null
  if (fault?.status) return { status: fault.status, headers: fault.headers, body: fault.body ?? { message: 'fault' } }
  const answer = await forge.answer(request)
  entry.status = answer.status
  return answer
}

/** `{ match, times?, status?, headers?, body?, delayMs?, drop?, apply? }`: apply does it all the same, then fails. */
function nextFault(state, { method, path }) {
  const fault = state.faults.find(({ match }) => new RegExp(match).test(`${method} ${path}`))
  if (!fault) return undefined
  fault.times = (fault.times ?? 1) - 1
  if (fault.times <= 0) state.faults.splice(state.faults.indexOf(fault), 1)
  return fault
}

async function readRequest(incoming) {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  const url = new URL(incoming.url, 'http://forge')
  return {
    method: incoming.method,
    path: url.pathname,
    rawPath: incoming.url.split('?')[0],
    url: incoming.url,
    search: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  }
}

function send(outgoing, _request, { status, headers = {}, body }) {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(isRaw ? body : JSON.stringify(body))
  const type = isRaw ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
  outgoing.writeHead(status, { ...(body === undefined ? {} : { 'content-type': type }), ...headers })
  outgoing.end(status === 304 || status === 204 ? undefined : bytes)
}
