// A person, the page or a reaction wants a pull request on a forge elsewhere merged, and the project has a train: it boards.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PRInfo } from '../../contract/session.ts'
import { localAuthor, sessionOf } from '../../forge/pulls/local-author.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PrSnapshot, Scm } from '../../slots/scm.ts'
import { openTrainFile } from '../train/train-file.ts'
import { canHostTrain, type HostedScm } from './hosted-train.ts'
import { hostedObstacle } from './observe-hosted.ts'

export interface Boarding {
  project: ProjectConfig
  projectDir: string
  env: NodeJS.ProcessEnv
  clock: Clock
}

/** Does this pull request land with a train of ao's on that forge? */
export function ridesHosted(project: ProjectConfig, scm: Scm | null, { baseBranch }: PRInfo): scm is HostedScm {
  if (project.landing?.mode !== 'train' || !canHostTrain(scm)) return false
  return baseBranch === undefined || baseBranch === project.defaultBranch
}

/** Durable when it resolves. One that is aboard with this head keeps its place. `expected`: the head that was approved. */
export async function boardHosted(
  { project, projectDir, env, clock }: Boarding,
  scm: HostedScm,
  { pr, expected }: { pr: PRInfo; expected?: string | undefined },
): Promise<{ pull: number; headSha: string }> {
  const { headSha, pr: found, ...rest } = await readOne(scm, project, pr)
  const pull = found.number
  const why =
    rest.state !== 'open'
      ? `it is ${rest.state}`
      : expected !== undefined && expected !== headSha
        ? `its head is ${headSha.slice(0, 10)}, not ${expected.slice(0, 10)} as expected`
        : hostedObstacle(project.defaultBranch, { ...rest, headSha, pr: found })
  if (why !== null) throw new AoError('PR_NOT_MERGEABLE', `Pull request ${pull} cannot board: ${why}`)
  await noteAboard({ project, projectDir, env, clock }, { pr: found, headSha })
  return { pull, headSha }
}

export async function noteAboard(
  { projectDir, env, clock }: Boarding,
  { pr, headSha }: { pr: PRInfo; headSha: string },
): Promise<void> {
  const { number: pull } = pr
  if (pull === undefined) return
  const file = openTrainFile({ projectDir, clock })
  const isAboard = file.read().riders.some((rider) => rider.pull === pull && rider.headSha === headSha)
  // A session's word is not a person's: it rides only as long as it is approved and green.
  const by = sessionOf(env) === null ? localAuthor(env) : 'ao'
  if (!isAboard) await file.append({ type: 'boarded', pull, headSha, by })
}

async function readOne(scm: HostedScm, project: ProjectConfig, pr: PRInfo): Promise<PrSnapshot> {
  const reading = (await scm.readPullRequests([{ sessionId: 'one', branch: null, pr }], project)).get('one')
  if (reading?.kind === 'read') return reading.snapshot
  const why = reading?.kind === 'unknown' ? reading.why : 'the forge does not know it'
  throw new AoError('SCM_FAILED', `${pr.url} could not be read: ${why}`)
}
