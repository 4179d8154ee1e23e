// Queries Codex itself before it is started: which hooks it would run, with their digests, and how it is sandboxed.
import type { Readable } from 'node:stream'
import { errorText } from '../../contract/errors.ts'
import { listField, objectField, parseObject, textField } from '../../core/text/json-fields.ts'
import type { Log } from '../../lib/log.ts'
import { killGroup } from '../../lib/process/kill-group.ts'
import { startProgram } from '../../lib/start-program.ts'
import type { ListedHook } from './hooks.ts'
import type { SandboxSettings } from './sandbox.ts'

interface AskRequest {
  /** argv of Codex with the flags of the launch that affect hooks. */
  command: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  timeoutMs?: number
}

const HOOKS_ID = 2
const CONFIG_ID = 3
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const GRACE_MS = 1_000
const REST_MS = 1_500

export interface CodexAnswers {
  /** null: it could not be queried, did not answer, or does not support hooks. */
  hooks: ListedHook[] | null
  sandbox: SandboxSettings | null
}

/** Resolves when its process has ended. */
export function askCodex(request: AskRequest, log: Log): Promise<CodexAnswers> {
  const { command, cwd, env, timeoutMs = 10_000 } = request
  return new Promise((resolve) => {
    const [program = '', ...args] = command
    // Its own group, so that the wrapper script and the real program end together.
    const child = startProgram(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    const answers: CodexAnswers = { hooks: null, sandbox: null }
    const missing = new Set([HOOKS_ID, CONFIG_ID])
    const end = (why: string) => {
      log.debug(`codex did not describe itself: ${why}`)
      killGroup(child.pid)
    }
    let timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs)
    const leave = () => {
      // It exits when its input ends; it is killed only if it does not.
      child.stdin.end()
      clearTimeout(timer)
      timer = setTimeout(() => killGroup(child.pid), GRACE_MS)
    }
    const settle = () => {
      clearTimeout(timer)
      killGroup(child.pid)
      resolve(answers)
    }
    child.on('error', (error) => {
      log.debug(`codex could not be asked: ${errorText(error)}`)
      settle()
    })
    child.on('close', settle)
    onLines(child.stdout, {
      line: (line) => {
        const id = answeredId(line)
        if (id === HOOKS_ID) answers.hooks = parseHooks(line)
        if (id === CONFIG_ID) answers.sandbox = parseSandbox(line)
        if (id === null || !missing.delete(id)) return
        if (missing.size === 0) return leave()
        // It is awake: what it has not answered soon, it never will.
        clearTimeout(timer)
        timer = setTimeout(leave, REST_MS)
      },
      tooMuch: () => end('the answer is too long'),
    })
    // An old Codex without app-server closes its input immediately; its end is what counts.
    child.stdin.on('error', () => undefined)
    child.stdin.write(requests(cwd))
  })
}

function onLines(stream: Readable, on: { line(line: string): void; tooMuch(): void }): void {
  let unfinished = ''
  let received = 0
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    received += chunk.length
    if (received > MAX_ANSWER_BYTES) return on.tooMuch()
    const lines = (unfinished + chunk).split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) on.line(line)
  })
}

function requests(cwd: string): string {
  const clientInfo = { name: 'ao', title: 'ao', version: '1' }
  return [
    { id: 1, method: 'initialize', params: { clientInfo } },
    { method: 'initialized' },
    { id: HOOKS_ID, method: 'hooks/list', params: { cwds: [cwd] } },
    { id: CONFIG_ID, method: 'config/read', params: { includeLayers: false, cwd } },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('')
}

/** Most of Codex's output is something else, so it is searched before it is parsed. */
function answeredId(line: string): number | null {
  const id = line.includes('"id"') ? parseObject(line)?.id : null
  return typeof id === 'number' ? id : null
}

/** null: it answered with an error, as older versions do. */
export function parseSandbox(line: string): SandboxSettings | null {
  const config = objectField(objectField(parseObject(line), 'result'), 'config')
  return config && { mode: textField(config, 'sandbox_mode'), profile: textField(config, 'default_permissions') }
}

/** null: it answered with an error, as a version without hooks does. */
export function parseHooks(line: string): ListedHook[] | null {
  const result = objectField(parseObject(line), 'result')
  if (!result) return null
  return listField(result, 'data')
    .flatMap((entry) => listField(entry, 'hooks'))
    .flatMap((hook) => {
      const key = textField(hook, 'key')
      const hash = textField(hook, 'currentHash')
      const trust = textField(hook, 'trustStatus')
      if (key === null || hash === null || trust === null) return []
      return [{ key, hash, trust, command: textField(hook, 'command') ?? '' }]
    })
}
