// Starts a forge server of this folder for a test file and talks to it as its owner would.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { COMPILED } from '../support/temp-home.ts'

export interface ForgeRequestLine {
  method: string
  path: string
  ifNoneMatch: string | null
  authorization: string | null
  body: string
  status: number
}

export interface Fault {
  /** A regular expression over `METHOD /path`. */
  match: string
  times?: number
  status?: number
  headers?: Record<string, string>
  body?: unknown
  delayMs?: number
  /** Close the connection without an answer. */
  drop?: boolean
  /** Do what was asked all the same. */
  apply?: boolean
}

export interface Forge {
  url: string
  control(command: Record<string, unknown>): Promise<unknown>
  faults(...faults: Fault[]): Promise<void>
  /** Forgets faults and what was asked. */
  clear(): Promise<void>
  requests(): Promise<ForgeRequestLine[]>
  /** A call as somebody else than the plugin; throws unless it succeeds. */
  api<T = Record<string, unknown>>(method: string, path: string, body?: unknown, token?: string): Promise<T>
  stop(): Promise<void>
}

export async function startForge(
  script: string,
  options: { args?: string[]; env?: NodeJS.ProcessEnv; token?: string } = {},
): Promise<Forge> {
  const child = spawn(process.execPath, [new URL(script, import.meta.url).pathname, ...(options.args ?? [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...(options.env ?? process.env), NODE_COMPILE_CACHE: COMPILED },
  })
  const { url } = JSON.parse(await firstLine(child)) as { url: string }
  const send = async (method: string, path: string, body?: unknown, token = options.token ?? 'token-acme') => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'private-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return text === '' ? null : JSON.parse(text)
  }
  const control = (command: Record<string, unknown>) => send('POST', '/_control', command)
  return {
    url,
    control,
    faults: async (...faults) => {
      await control({ op: 'faults', faults })
    },
    clear: async () => {
      await control({ op: 'clear' })
    },
    requests: () => send('GET', '/_control/requests'),
    api: send,
    stop: () => stop(child),
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the forge server ended with ${code} before it listened`)
  })
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  ended.catch(() => undefined)
  return line
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.stdin!.end()
  await exited
}
