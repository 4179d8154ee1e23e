// The demo agent as a plugin: a scripted program that needs no model, for demonstrations and tests.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { ownProgram } from '../../lib/process/own-program.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { writeLaunchNote } from '../agent-files/launch-note.ts'
import { rowsText } from '../agent-files/screen/dialog-text.ts'
import { DEMO_AGENT, DEMO_LOG_NAME, readActivity, readInfo, readSeen, readSessionId } from './session-records.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'demo',
    description: 'A scripted agent for trying things out; there is no model behind it',
  },
  options: NO_OPTIONS,
  create: createDemoAgent,
  async detect() {
    return { ok: true, detail: 'ships with ao' }
  },
})

function createDemoAgent(): Agent {
  return {
    name: DEMO_AGENT,
    promptDelivery: 'inline',
    activitySource: 'native',
    readsAoDirectory: true,
    repositoryFiles: [],
    getLaunchCommand: (launch) => [...commonArguments(launch), ...promptArguments(launch)],
    getAcpCommand: (launch) => commonArguments(launch, 'acp-program', 'demo-agent-acp'),
    getEnvironment: (launch) => ({ AO_STATE_DIR: launch.stateDir }),
    prepare: async ({ stateDir, isResume }) =>
      writeLaunchNote(stateDir, DEMO_AGENT, {
        launchedAt: new Date(),
        dataDir: stateDir,
        isResume: isResume === true,
      }),
    async getRestoreCommand(_session, launch) {
      const id = await readSessionId(launch.stateDir)
      return id === null ? null : [...commonArguments(launch), '--resume', id]
    },
    conversation: {
      async files(_session, { stateDir }) {
        const file = join(stateDir, DEMO_LOG_NAME)
        return existsSync(file) ? { [DEMO_LOG_NAME]: file } : {}
      },
      async adopt(names, { stateDir }) {
        return names.includes(DEMO_LOG_NAME) ? { [DEMO_LOG_NAME]: join(stateDir, DEMO_LOG_NAME) } : {}
      },
    },
    getActivityState: (_session, options) => readActivity(options),
    detectActivity: detectDemoActivity,
    readScreenInput: readDemoInput,
    getSessionInfo: (_session, options) => readInfo(options),
    hasSeen: (_session, text, since, options) => readSeen(text, since, options),
    watchPaths: async (_session, options) => [options.stateDir],
  }
}

function commonArguments(launch: AgentLaunch, source = 'program', bundle = 'demo-agent'): string[] {
  return [
    process.execPath,
    programPath(source, bundle),
    `--permissions=${launch.permissions}`,
    `--role=${launch.role}`,
    ...(launch.issueId === undefined ? [] : [`--issue=${launch.issueId}`]),
  ]
}

function promptArguments(launch: AgentLaunch): string[] {
  if (launch.prompt === undefined) return []
  if (fitsArgument(launch.prompt)) return ['--', launch.prompt]
  // A longer task is read from the file that the session has anyway.
  return [`--prompt-file=${join(launch.stateDir, 'prompt.md')}`]
}

function programPath(source: string, bundle: string): string {
  return ownProgram(import.meta.url, `./program/${source}.ts`, `${bundle}.js`)
}

/** Its state is shown before the input line. */
const PROMPT = /^demo(?: \((working|question|yes\/no|failed)\))?>/

function detectDemoActivity(terminalText: string): ActivityState | null {
  const line = terminalText.split('\n').findLast((one) => PROMPT.test(one))
  if (line === undefined) return null
  const state = PROMPT.exec(line)?.[1]
  if (state === 'working') return 'active'
  if (state === 'failed') return 'blocked'
  return state === undefined ? 'ready' : 'waiting_input'
}

/** A question in words is answered by a message; a permission question only by yes or no. */
function readDemoInput(terminalText: string): ScreenInput {
  const lines = terminalText.split('\n')
  const entry = lines.findLastIndex((one) => PROMPT.test(one))
  const state = PROMPT.exec(lines[entry] ?? '')
  if (state === null) return { takes: 'unknown' }
  if (state[1] !== 'yes/no') return { takes: 'text' }
  const start = lines.findLastIndex((line, at) => at < entry && line.startsWith('Permission needed: '))
  return {
    takes: 'keys',
    dialog: {
      ...rowsText(lines, start === -1 ? 0 : start, entry),
      takesLine: true,
      choices: [
        { label: 'Yes', decision: 'allow-once', keys: ['yes\r'] },
        { label: 'No', decision: 'reject-once', keys: ['no\r'] },
      ],
    },
  }
}
