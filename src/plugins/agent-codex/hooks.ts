// Codex's hooks for one launch, given by flags: no file of the user is touched. Codex runs a hook only when its digest is
// trusted; for ours that trust is given in the same flags, with the digests that Codex itself lists.

import type { Readable } from 'node:stream'
import { errorText } from '../../contract/errors.ts'
import { quoteForShell } from '../../core/text/command-line.ts'
import type { Log } from '../../lib/log.ts'
import { startProgram } from '../../lib/start-program.ts'
import { listField, objectField, textField } from '../agent-files/json-fields.ts'
import { tomlString, tomlTable } from './toml-value.ts'

const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
  'SessionEnd',
] as const

/** Codex allows no more for SessionEnd. */
const HOOK_TIMEOUT_SECONDS = 3

/** Of one hook that Codex found, what matters here. */
interface ListedHook {
  key: string
  command: string
  hash: string
  /** untrusted, modified, trusted or managed. */
  trust: string
}

export type HookDecision =
  /** Ours run: every one with the digest that Codex itself computed. */
  | { use: 'ours'; trusted: Record<string, string> }
  /** Somebody's hooks wait for review: Codex would show a dialog at start, so no hook at all runs. */
  | { use: 'none'; unreviewed: string[] }
  /** Nothing is known: Codex is started as it is. */
  | { use: 'as configured' }

function hookCommands(hookCommand: readonly string[]): Map<string, string> {
  return new Map(HOOK_EVENTS.map((event) => [event, [...hookCommand, event].map(quoteForShell).join(' ')]))
}

/** The definitions alone; with them Codex lists our hooks and their digests. */
export function hookDefinitionFlags(hookCommand: readonly string[]): string[] {
  return [...hookCommands(hookCommand)].flatMap(([event, command]) => {
    const handler = `{type="command",command=${tomlString(command)},timeout=${HOOK_TIMEOUT_SECONDS}}`
    return ['-c', `hooks.${event}=[{hooks=[${handler}]}]`]
  })
}

export function decideHooks(listed: readonly ListedHook[] | null, hookCommand: readonly string[]): HookDecision {
  if (listed === null) return { use: 'as configured' }
  const ours = new Set(hookCommands(hookCommand).values())
  const foreign = listed.filter((hook) => !ours.has(hook.command) && !isTrusted(hook))
  if (foreign.length > 0) return { use: 'none', unreviewed: foreign.map(({ key }) => key) }
  const found = listed.filter((hook) => ours.has(hook.command))
  // A version that does not know one of the events would leave the others: they are used.
  if (found.length === 0) return { use: 'as configured' }
  return { use: 'ours', trusted: Object.fromEntries(found.map(({ key, hash }) => [key, hash])) }
}

export function hookFlags(decision: HookDecision, hookCommand: readonly string[]): string[] {
  if (decision.use === 'as configured') return []
  if (decision.use === 'none') return ['-c', 'features.hooks=false']
  const state = Object.entries(decision.trusted).map(
    ([key, hash]) => [key, tomlTable([['trusted_hash', tomlString(hash)]])] as const,
  )
  return [...hookDefinitionFlags(hookCommand), '-c', `hooks.state=${tomlTable(state)}`]
}

function isTrusted({ trust }: ListedHook): boolean {
  return trust === 'trusted' || trust === 'managed'
}

interface ListHooksRequest {
  /** argv of Codex with the flags of the launch that decide about hooks. */
  command: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  timeoutMs?: number
}

const LIST_ID = 2
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const GRACE_MS = 1_000

/** null: Codex could not be asked or did not answer. Resolves when its process has ended. */
export function listHooks(request: ListHooksRequest, log: Log): Promise<ListedHook[] | null> {
  const { command, cwd, env, timeoutMs = 10_000 } = request
  return new Promise((resolve) => {
    const [program = '', ...args] = command
    // Its own group, so that the wrapper script and the real program end together.
    const child = startProgram(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    let hooks: ListedHook[] | null = null
    const end = (why: string) => {
      log.debug(`codex did not list its hooks: ${why}`)
      endGroup(child.pid)
    }
    let timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs)
    const leave = () => {
      // It ends by itself when its input ends; only if it does not, it is ended.
      child.stdin.end()
      clearTimeout(timer)
      timer = setTimeout(() => endGroup(child.pid), GRACE_MS)
    }
    const settle = () => {
      clearTimeout(timer)
      endGroup(child.pid)
      resolve(hooks)
    }
    child.on('error', (error) => {
      log.debug(`codex could not be asked for its hooks: ${errorText(error)}`)
      settle()
    })
    child.on('close', settle)
    onLines(child.stdout, {
      line: (line) => {
        if (!isListAnswer(line)) return
        hooks = parseHooks(line)
        leave()
      },
      tooMuch: () => end('the answer is too long'),
    })
    // An old Codex without app-server closes its input at once; its end is what counts.
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
    { id: LIST_ID, method: 'hooks/list', params: { cwds: [cwd] } },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('')
}

/** Looks before it parses: most of what Codex says is something else. */
function isListAnswer(line: string): boolean {
  return line.includes('"id"') && parse(line)?.id === LIST_ID
}

/** null: it answered with an error, as a version without hooks does. */
export function parseHooks(line: string): ListedHook[] | null {
  const result = objectField(parse(line), 'result')
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

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // A line that is no JSON is not the answer.
    return null
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
