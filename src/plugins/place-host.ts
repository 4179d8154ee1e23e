// The program beside an agent in a place; it is sent there as one file (docs/places.md).
//   serve <directory>              the host of one session
//   forward <socket> <tool> …      a command that home answers
//   hook <agent> <event>           records one hook event of an agent
import { appendFileSync } from 'node:fs'
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
} else if (mode === 'forward') {
  const [tool = 'gh', ...argv] = rest
  process.exitCode = await forward(first, tool as AskTool, argv)
} else if (mode === 'hook') {
  await recordHook(first, rest[0] ?? '')
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
