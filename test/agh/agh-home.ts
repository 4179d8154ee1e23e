// A temporary home with the scripted agent in it, and the runtime on top, in this process.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { aghPaths } from '../../src/agh/paths.ts'
import { createAghContext, getSession, newSession, promptSession, readEvents, shutdown } from '../../src/agh/runtime.ts'
import type { AghContext } from '../../src/agh/session/context.ts'
import { leaveRunning } from '../../src/agh/session/finish.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import { aghConfigSchema } from '../../src/contract/agh/config.ts'
import { type SessionEvent, toSessionEvent } from '../../src/contract/agh/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createTempHome } from '../support/temp-home.ts'
import { testProgram } from '../support/test-program.ts'

/** The scripted agent. */
export const AGENT = testProgram('acp-agent')

export interface AghHome {
  home: string
  workspace: string
  context: AghContext
  /** What the runtime logged. */
  logged: string[]
  /** Another runtime on the same home, as after a restart of the daemon. */
  restart(): AghContext
  create(): Promise<SessionView>
  /** One whole turn; its events. */
  prompt(sessionId: string, text: string): Promise<SessionEvent[]>
  events(sessionId: string): Promise<SessionEvent[]>
  stopped(sessionId: string): Promise<SessionView>
  /** Which messages the agent got, in order. */
  agentLog(): string[]
  cleanup(): Promise<string[]>
}

export interface AghHomeOptions {
  /** FAKE_ACP of the agent. */
  agent?: string
  config?: object
  command?: string[]
  env?: NodeJS.ProcessEnv
  /** More lines of AGENT.md's front matter, and its body. */
  front?: string[]
  instructions?: string
  /** Other files under the home of agh. */
  files?: Record<string, string>
}

export function createAghHome(options: AghHomeOptions = {}): AghHome {
  const temp = createTempHome()
  const workspace = join(temp.home, 'repo')
  mkdirSync(workspace)
  const log = join(temp.home, 'agent.log')
  const env = { ...temp.env, FAKE_ACP: options.agent ?? '', FAKE_ACP_LOG: log, ...options.env }
  const paths = aghPaths(env, temp.home)
  const front = [`command: ${JSON.stringify(options.command ?? [process.execPath, AGENT])}`, ...(options.front ?? [])]
  const agentText = `---\n${front.join('\n')}\n---\n${options.instructions ?? ''}\n`
  for (const [name, content] of Object.entries({ 'agents/general/AGENT.md': agentText, ...options.files })) {
    mkdirSync(dirname(join(paths.home, name)), { recursive: true })
    writeFileSync(join(paths.home, name), content)
  }
  const logged: string[] = []
  const config = aghConfigSchema.parse(options.config ?? {})
  const open = () =>
    createAghContext({ paths, config, env, clock: systemClock, log: createLog('warn', (line) => logged.push(line)) })
  const agh: AghHome = {
    home: temp.home,
    workspace,
    context: open(),
    logged,
    restart: () => {
      // As a killed daemon: it says nothing more, and its agents go on.
      for (const session of agh.context.live.values()) void leaveRunning(agh.context, session)
      agh.context.hosts.close()
      agh.context = open()
      return agh.context
    },
    create: () => newSession(agh.context, { workspace_path: workspace }),
    async prompt(sessionId, text) {
      const { turnId, ended } = await promptSession(agh.context, sessionId, text)
      await ended
      return (await agh.events(sessionId)).filter(({ turn_id }) => turn_id === turnId)
    },
    async events(sessionId) {
      agh.context.live.get(sessionId)?.store.flush()
      const rows = await readEvents(agh.context, sessionId, 0, 1_000_000)
      return rows.map((row) => toSessionEvent(sessionId, row))
    },
    async stopped(sessionId) {
      await agh.context.live.get(sessionId)?.finishing
      return getSession(agh.context, sessionId)
    },
    agentLog: () => readFileSync(log, 'utf8').trim().split('\n'),
    async cleanup() {
      await shutdown(agh.context)
      return temp.cleanup()
    },
  }
  return agh
}

export const text = (events: SessionEvent[]) =>
  events
    .flatMap(({ type, content }) =>
      type === 'agent_message' ? ((content.content as { text?: string }).text ?? []) : [],
    )
    .join('')
