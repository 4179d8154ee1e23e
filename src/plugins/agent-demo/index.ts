// The demo agent as a plugin: a scripted program that needs no model, for trying things out and for tests.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { writeLaunchNote } from '../agent-files/launch-note.ts'
import { fitsArgument } from '../agent-files/program-words.ts'
import { detectDemoActivity, readDemoInput } from './detect-demo-activity.ts'
import { readActivity, readInfo, readSeen, readSessionId } from './read-activity.ts'
import { DEMO_AGENT } from './session-records.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'demo',
    description: 'A scripted agent for trying things out; there is no model behind it',
  },
  options: NO_OPTIONS,
  create: () => createDemoAgent(),
  async detect() {
    return { ok: true, detail: 'ships with ao' }
  },
})

function createDemoAgent(clock: Clock = systemClock): Agent {
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
        launchedAt: clock.now(),
        dataDir: stateDir,
        isResume: isResume === true,
      }),
    async getRestoreCommand(_session, launch) {
      const id = await readSessionId(launch.stateDir)
      return id === null ? null : [...commonArguments(launch), '--resume', id]
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

/** Beside this file: as a source it is run by Node's own type stripping, in the package it is a bundle. */
function programPath(source: string, bundle: string): string {
  const name = import.meta.url.endsWith('.ts') ? `./program/${source}.ts` : `./${bundle}.js`
  return fileURLToPath(new URL(name, import.meta.url))
}
