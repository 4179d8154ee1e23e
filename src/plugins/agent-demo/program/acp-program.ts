// The demo agent without a terminal: the same conversation over the Agent Client Protocol. Decides nothing itself.
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { agent, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk'
import { systemClock } from '../../../lib/clock.ts'
import { openSessionLog, readSessionLog, type SessionLog } from '../session-log.ts'
import { DEMO_LOG_NAME } from '../session-records.ts'
import { type AcpTurns, createAcpTurns } from './acp-turns.ts'
import { readFlags, speedFactor } from './program-flags.ts'
import { type Conversation, freshConversation, replaySession } from './replay-session.ts'

process.title = 'demo-agent'
const flags = readFlags()
const logFile = join(process.env.AO_STATE_DIR ?? join(homedir(), '.ao-demo'), DEMO_LOG_NAME)
const workspace = realpathSync(process.cwd())
let log: SessionLog | null = null
let turns: AcpTurns | null = null

const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
const input = Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>

const connection = agent({ name: 'ao-demo' })
  .onRequest('initialize', () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { sessionCapabilities: { resume: {} } },
    agentInfo: { name: 'ao-demo', version: '1' },
  }))
  .onRequest('session/new', () => ({ sessionId: begin(freshConversation(), false) }))
  .onRequest('session/resume', ({ params }) => {
    const before = replaySession(readSessionLog(logFile), params.sessionId)
    if (!before) throw RequestError.resourceNotFound(params.sessionId)
    begin(before, true)
    return {}
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const text = params.prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
    const end = await turns!.take(text, { sessionId: params.sessionId, client })
    if (end.how === 'failed') throw new RequestError(-32_603, end.text)
    // No model is called, so nothing was used.
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
    return { stopReason: end.how === 'interrupted' ? ('cancelled' as const) : ('end_turn' as const), usage }
  })
  .onNotification('session/cancel', () => turns?.interrupt())
  .connect(ndJsonStream(output, input))

void connection.closed.then(() => leave(0))
process.on('SIGTERM', () => leave(143))

function begin(start: Conversation, resumed: boolean): string {
  log = openSessionLog(logFile, systemClock)
  log.add({ type: 'session.started', id: start.id, pid: process.pid, cwd: workspace, resumed, hasWork: false })
  turns = createAcpTurns({
    log,
    start,
    workspace,
    env: process.env,
    speed: speedFactor(process.env.DEMO_AGENT_SPEED),
    skipPermissions: flags.permissions === 'skip',
    context: { issueId: flags.issue, sessionId: process.env.AO_SESSION, role: flags.role },
    leave,
  })
  return start.id
}

function leave(code: number): void {
  turns?.interrupt()
  log?.add({ type: 'session.ended', code })
  process.exit(code)
}
