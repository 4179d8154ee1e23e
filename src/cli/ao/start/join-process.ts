// `ao start` in a second repository: the process that runs for the first one watches it too, with one page for both.
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { sleep } from '../../../lib/clock.ts'
import { changeMembers, type Member, readMembers, withMember, withoutMember } from '../../../lifecycle/loop/members.ts'
import { loopState, type RunFiles, type RunState, readRunState, runStates } from '../../../lifecycle/loop/run-state.ts'
import type { Io } from '../../print/io.ts'

const JOIN_MS = 20_000
const POLL_MS = 25

/** null: none that can be joined, or this configuration has an address of its own where none of them listens. */
export function findHost(config: OrchestratorConfig, io: Io): RunState | null {
  if (config.dashboard) return null
  const { port } = config.source ?? config
  const wanted = io.env.AO_PORT ? Number(io.env.AO_PORT) : port
  const isThere = (state: RunState) => wanted === state.port || (!io.env.AO_PORT && wanted === DEFAULT_PORT)
  return runStates(io.home).find((one) => one.joins === true && isThere(one) && loopState(one) === 'alive') ?? null
}

const DEFAULT_PORT = 3000

/** Resolves when the process watches it; throws with the reason when it refuses. */
export async function joinProcess(
  host: RunState,
  { config, files }: { config: OrchestratorConfig; files: RunFiles },
  io: Io,
): Promise<RunState> {
  const member: Member = { configPath: config.configPath, process: host.process }
  await changeMembers(io.home, withMember(member))
  const deadline = performance.now() + JOIN_MS
  for (;;) {
    const state = readRunState(files)
    if (state?.process === host.process && loopState(state) === 'alive') return state
    const refusal = refusalOf(member, io) ?? (performance.now() > deadline ? 'it did not answer in time' : null)
    if (refusal !== null) {
      await changeMembers(io.home, withoutMember(member))
      throw new AoError('CONFIG_INVALID', `Process ${host.pid} does not watch ${config.configPath}: ${refusal}`, {
        hint: 'If it lacks a variable of this shell, or this repository wants a page of its own: ao start --own',
        details: { pid: host.pid, configPath: config.configPath },
      })
    }
    await sleep(POLL_MS)
  }
}

function refusalOf(member: Member, io: Io): string | null {
  try {
    const mine = readMembers(io.home).find((one) => one.configPath === member.configPath)
    if (mine?.process !== member.process) return 'it ended just now'
    return mine.problem ?? null
  } catch (error) {
    return errorText(error)
  }
}
