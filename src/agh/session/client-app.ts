// What the agent may ask of us: permissions, files and terminals, each under the session's policy and in its workspace.
import type { ClientApp, RequestError } from '@agentclientprotocol/sdk'
import { durationMs } from '../../contract/agh/config.ts'
import { errorText } from '../../contract/errors.ts'
import { allowsAction, type ClientAction } from '../../core/agh/session/permission-policy.ts'
import { evolve } from '../../core/agh/session/turn.ts'
import { readTextFile, writeTextFile } from '../acp/files.ts'
import { findTerminal, killTerminal, openTerminal, releaseTerminal } from '../acp/terminals.ts'
import { type AghContext, nowMs } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { askPermission } from './turn/permission-desk.ts'

type Sdk = typeof import('@agentclientprotocol/sdk')

export function createClientApp(sdk: Sdk, context: AghContext, session: LiveSession): ClientApp {
  const { client, methods } = sdk
  const guard = createGuard(sdk, session)
  const app = client({ name: 'agh' })
  const roots = rootsOf(session)
  app.onRequest(methods.client.session.requestPermission, async ({ params }) => {
    const title = params.toolCall.title ?? params.toolCall.toolCallId
    noteQuestion(context, session, title)
    const question = {
      turnId: session.turn?.turn.id ?? null,
      title,
      kind: params.toolCall.kind ?? 'other',
      toolCall: params.toolCall,
      options: params.options,
    }
    const outcome = await askPermission(session.permissions, question, {
      mode: session.meta.permissions,
      expiresMs: durationMs(context.config.session.timeouts.permission),
      now: () => context.clock.now(),
      record: (draft) => void session.store.append(draft),
    })
    return { outcome }
  })
  app.onRequest(methods.client.fs.readTextFile, ({ params }) =>
    guard('read_file', () => ({ content: readTextFile(roots, params) })),
  )
  app.onRequest(methods.client.fs.writeTextFile, ({ params }) =>
    guard('write_file', () => {
      writeTextFile(roots, params.path, params.content)
      return {}
    }),
  )
  addTerminals(app, sdk, context, session)
  return app
}

function addTerminals(app: ClientApp, sdk: Sdk, context: AghContext, session: LiveSession): void {
  const { terminal } = sdk.methods.client
  const { terminals } = session
  const guard = createGuard(sdk, session)
  const find = (id: string) => findTerminal(terminals, id)
  app.onRequest(terminal.create, ({ params }) =>
    guard('run_command', async () => {
      const place = {
        roots: rootsOf(session),
        env: session.environment ?? context.env,
        spawnId: session.meta.process?.spawn_id ?? '',
      }
      return { terminalId: await openTerminal(terminals, params, place) }
    }),
  )
  app.onRequest(terminal.output, ({ params }) =>
    guard('run_command', () => {
      const { output, exit, limit } = find(params.terminalId)
      const status = exit ? { exitStatus: { exitCode: exit.code, signal: exit.signal } } : {}
      return { output: output.text(), truncated: output.total() > limit, ...status }
    }),
  )
  app.onRequest(terminal.waitForExit, ({ params }) =>
    guard('run_command', async () => {
      const { code, signal } = await find(params.terminalId).exited
      return { exitCode: code, signal }
    }),
  )
  app.onRequest(terminal.kill, ({ params }) =>
    guard('run_command', () => {
      killTerminal(find(params.terminalId))
      return {}
    }),
  )
  app.onRequest(terminal.release, ({ params }) =>
    guard('run_command', () => {
      releaseTerminal(terminals, params.terminalId)
      return {}
    }),
  )
}

function rootsOf({ meta }: LiveSession): string[] {
  return [meta.workspace_path, ...(meta.additional_directories ?? [])]
}

/** What is refused is in the history too: the agent's own words about it may be wrong. */
function createGuard(sdk: Sdk, session: LiveSession) {
  return async <T>(action: ClientAction, act: () => T | Promise<T>): Promise<T> => {
    // A driver gave the agent a workspace of its own; what it asks about, it asks about before it acts.
    if (!session.meta.driver && !allowsAction(session.meta.permissions, action)) {
      const turn_id = session.turn?.turn.id ?? null
      session.store.append({
        turn_id,
        type: 'permission',
        content: { title: action, decision: 'reject-once', decided_by: 'policy' },
      })
      throw invalid(sdk, `the policy ${session.meta.permissions} does not allow ${action}`)
    }
    try {
      return await act()
    } catch (error) {
      throw invalid(sdk, errorText(error))
    }
  }
}

function invalid(sdk: Sdk, why: string): RequestError {
  return new sdk.RequestError(-32_602, why)
}

function noteQuestion(context: AghContext, session: LiveSession, detail: string): void {
  if (session.turn) session.turn.turn = evolve(session.turn.turn, { type: 'permission', detail }, nowMs(context))
}
