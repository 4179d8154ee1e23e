// What the agent may request from us: permissions, files and terminals, each subject to the session's policy and confined
// to its workspace.
import type { ClientApp, RequestError } from '@agentclientprotocol/sdk'
import { errorText } from '../../contract/errors.ts'
import { answerableOptions } from '../../core/agh/session/permission-policy.ts'
import { confinePath } from '../acp/confine-path.ts'
import { readIfText, readTextFile, writeTextFile } from '../acp/files.ts'
import { createReplyGate, type ReplyGate } from '../acp/reply-gate.ts'
import { findTerminal, killTerminal, LOST_TERMINAL, openTerminal, releaseTerminal } from '../acp/terminals.ts'
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { ask, permitAction, recallRequest, rememberRequest, rootsOf } from './turn/permit-action.ts'

type Sdk = typeof import('@agentclientprotocol/sdk')

export function createClientApp(sdk: Sdk, context: AghContext, session: LiveSession): ClientApp {
  const { client, methods } = sdk
  const app = client({ name: 'agh' })
  const inTurn = createReplyGate(async () => session.connection?.drained())
  app.onRequest(methods.client.session.requestPermission, async ({ params, requestId }) => {
    const { toolCall, options } = params
    const title = toolCall.title ?? toolCall.toolCallId
    const question = { title, kind: toolCall.kind ?? 'other', toolCall, options: answerableOptions(options) }
    return { outcome: await ask(context, session, question, offsetOf(session, requestId)) }
  })
  const parts = { context, session, inTurn }
  const { read, write, terminal } = session.clientTools
  if (read) addReading(app, sdk, parts)
  if (write) addWriting(app, sdk, parts)
  if (terminal) addTerminals(app, sdk, parts)
  return app
}

interface ClientAppContext {
  context: AghContext
  session: LiveSession
  /** For replies that may be large. */
  inTurn: ReplyGate
}

/** Where the agent's request is in its output. */
function offsetOf({ connection }: LiveSession, requestId: unknown): number | null {
  return connection?.offsetOf(requestId) ?? null
}

function addReading(app: ClientApp, sdk: Sdk, { context, session, inTurn }: ClientAppContext): void {
  app.onRequest(sdk.methods.client.fs.readTextFile, ({ params, requestId }) =>
    explained(sdk, async () => {
      const path = confinePath(rootsOf(session), params.path)
      await permitAction(context, session, { name: 'read_file', path }, offsetOf(session, requestId))
      return {
        content: await inTurn(() =>
          readTextFile(rootsOf(session), { ...params, path: stillAt(session, params.path, path) }),
        ),
      }
    }),
  )
}

function addWriting(app: ClientApp, sdk: Sdk, { context, session }: ClientAppContext): void {
  app.onRequest(sdk.methods.client.fs.writeTextFile, ({ params, requestId }) =>
    explained(sdk, async () => {
      const path = confinePath(rootsOf(session), params.path)
      await permitAction(
        context,
        session,
        { name: 'write_file', path, content: params.content, before: readIfText(path) },
        offsetOf(session, requestId),
      )
      writeTextFile(rootsOf(session), stillAt(session, params.path, path), params.content)
      return {}
    }),
  )
}

/** A link may have been put there since: what was allowed is what is used. */
function stillAt(session: LiveSession, named: string, allowed: string): string {
  if (confinePath(rootsOf(session), named) === allowed) return allowed
  throw new Error(`${named} now leads elsewhere`)
}

function addTerminals(app: ClientApp, sdk: Sdk, { context, session, inTurn }: ClientAppContext): void {
  const { terminal } = sdk.methods.client
  const { terminals } = session
  const find = (id: string) => findTerminal(terminals, id)
  app.onRequest(terminal.create, ({ params, requestId }) =>
    explained(sdk, async () => {
      const at = offsetOf(session, requestId)
      const { command, args = [] } = params
      const cwd = params.cwd == null ? undefined : confinePath(rootsOf(session), params.cwd)
      const env = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]))
      // A command is never run twice: whatever the first run did, the agent has to look.
      if (recallRequest(session, at).started) throw new Error(LOST_TERMINAL)
      await permitAction(context, session, { name: 'run_command', command, args, env, cwd }, at)
      rememberRequest(session, at, { started: true })
      await session.store.settle()
      const where = {
        roots: rootsOf(session),
        env: session.environment ?? context.env,
        spawnId: session.meta.process?.spawn_id ?? '',
      }
      const there = cwd && stillAt(session, params.cwd!, cwd)
      return { terminalId: await openTerminal(terminals, { ...params, cwd: there }, where) }
    }),
  )
  app.onRequest(terminal.output, ({ params }) =>
    explained(sdk, () =>
      inTurn(() => {
        const { output, exit, limit } = find(params.terminalId)
        const status = exit ? { exitStatus: { exitCode: exit.code, signal: exit.signal } } : {}
        return { output: output.text(), truncated: output.total() > limit, ...status }
      }),
    ),
  )
  app.onRequest(terminal.waitForExit, ({ params }) =>
    explained(sdk, async () => {
      const { code, signal } = await find(params.terminalId).exited
      return { exitCode: code, signal }
    }),
  )
  app.onRequest(terminal.kill, ({ params }) =>
    explained(sdk, () => {
      killTerminal(find(params.terminalId))
      return {}
    }),
  )
  app.onRequest(terminal.release, ({ params }) =>
    explained(sdk, () => {
      releaseTerminal(terminals, params.terminalId)
      return {}
    }),
  )
}

const MAX_REASON = 1_000
const RESOURCE_NOT_FOUND = -32_002
const INVALID_PARAMS = -32_602

async function explained<T>(sdk: Sdk, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw refusal(sdk, error)
  }
}

/** Agents recognize a missing file, which they may then create, by this code. */
function refusal(sdk: Sdk, error: unknown): RequestError {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  const why = errorText(error).slice(0, MAX_REASON)
  return isMissing
    ? new sdk.RequestError(RESOURCE_NOT_FOUND, `Resource not found: ${why}`)
    : new sdk.RequestError(INVALID_PARAMS, why)
}
