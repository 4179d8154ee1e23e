// `ao start` while a loop is running: it reads the configuration on its own, and its state reports the result.
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { sleep } from '../../../lib/clock.ts'
import {
  configDigest,
  loopState,
  type RunFiles,
  type RunState,
  readRunState,
} from '../../../lifecycle/loop/run-state.ts'
import type { AddedProject } from './add-project.ts'

/** It finishes what it is doing first, which may take a few seconds. */
const TAKE_OVER_MS = 20_000
const POLL_MS = 50

/** Resolves when the loop watches the projects of the file. A project that it rejects is removed again. */
export async function joinRunning(
  files: RunFiles,
  config: OrchestratorConfig,
  added: AddedProject | null,
): Promise<RunState> {
  const state = await untilJudged(files, config)
  if (added === null) return state
  if (state.projects.includes(added.id)) return state
  await added.rollBack()
  const why = state.configProblem ?? `it did not read the changed file within ${TAKE_OVER_MS / 1_000} s`
  throw new AoError('CONFIG_INVALID', `The running loop (process ${state.pid}) does not take ${added.id}: ${why}`, {
    hint: `${config.configPath} is as it was; if only the loop's environment is old: ao stop, then ao start again`,
    details: { pid: state.pid, configPath: config.configPath, project: added.id },
  })
}

async function untilJudged(files: RunFiles, config: OrchestratorConfig): Promise<RunState> {
  const deadline = performance.now() + TAKE_OVER_MS
  for (;;) {
    const state = readRunState(files)
    if (state === null || loopState(state) === 'dead') {
      throw new AoError('INTERNAL', 'The running loop ended just now', { hint: 'Start it again with: ao start' })
    }
    if (state.configDigest === configDigest(config.configPath) || performance.now() > deadline) return state
    await sleep(POLL_MS)
  }
}
