// The program beside an agent in a place; it is sent there as one file (docs/places.md).
//   serve <directory>              the host of one session
//   connect <directory>            a channel: stdin and stdout are a connection to that host
//   forward <socket> <tool> …      a command that home answers
//   hook <agent> <event>           records one hook event of an agent
import { appendFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { AskTool } from '../core/place/check-far-values.ts'
import { AGENT_LOADERS } from './builtin-agents.ts'
import type { LoadAgent } from './place/far/agents.ts'
import { forward } from './place/far/forward.ts'

const [mode = '', first = '', ...rest] = process.argv.slice(2)

const loadAgent: LoadAgent = async (name) => {
  const load = Object.hasOwn(AGENT_LOADERS, `agent-${name}`) ? AGENT_LOADERS[`agent-${name}`] : undefined
  return load ? (await load()).plugin : null
}

if (mode === 'serve') {
  const { serve } = await import('./place/far/serve.ts')
  await serve(first, [process.execPath, process.argv[1] ?? ''], loadAgent)
} else if (mode === 'connect') {
  connect(join(first, 'sock'))
} else if (mode === 'forward') {
  const [tool = 'gh', ...argv] = rest
  process.exitCode = await forward(first, tool as AskTool, argv)
} else if (mode === 'hook') {
  await recordHook(first, rest[0] ?? '')
}

/** Exit code 3: nothing listens there. */
function connect(socketPath: string): void {
  const socket = createConnection(socketPath)
  socket.on('error', (error) => {
    process.stderr.write(`no host: ${error.message}\n`)
    process.exit(3)
  })
  socket.on('close', () => process.exit(0))
  process.stdin.pipe(socket)
  socket.pipe(process.stdout)
  process.stdin.on('end', () => socket.end())
  process.stdout.on('error', () => socket.destroy())
}

const MAX_HOOK_BYTES = 60 * 1024

/** Prints nothing and never fails: the agent waits. */
async function recordHook(agent: string, event: string): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    const whole: unknown = JSON.parse(text)
    const payload = text.length > MAX_HOOK_BYTES ? { truncated: true } : whole
    const line = JSON.stringify({ at: new Date().toISOString(), agent, event, payload })
    appendFileSync(join(process.env.AO_STATE_DIR ?? '', 'hooks.jsonl'), `${line}\n`, { mode: 0o600 })
  } catch {
    // Not JSON, or a full disk: the agent must not suffer from it.
  }
}
