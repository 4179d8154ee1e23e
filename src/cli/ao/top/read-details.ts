// What the terminal board shows beside the cards: a session's change in numbers, its screen, and the trains.
import { errorText } from '../../../contract/errors.ts'
import type { TrainLine } from '../../../core/board/board-rows.ts'
import { countDiff } from '../../../core/git/count-diff.ts'
import { plural } from '../../../core/text/format-age.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import type { Ao } from '../open-ao.ts'

export interface SessionDetails {
  sessionId: string
  /** `3 files, +20 -4: a.ts b.ts`. */
  change: string
  /** The end of its terminal; empty: it has none. */
  screen: string
}

const MOST_FILES = 5

export async function readDetails(ao: Ao, sessionId: string): Promise<SessionDetails> {
  const session = await requireSession(ao.context, sessionId)
  const orWhy = (error: unknown) => errorText(error)
  const [change, screen] = await Promise.all([
    ao.manager.diff(session).then(({ diff }) => describeChange(diff), orWhy),
    ao.manager.readScreen(session).catch(() => ''),
  ])
  return { sessionId, change, screen: screen.trimEnd() }
}

export async function readDiff(ao: Ao, sessionId: string): Promise<string> {
  const { diff, truncated } = await ao.manager.diff(await requireSession(ao.context, sessionId))
  return truncated ? `${diff}\n(cut: see all of it with ao session diff ${sessionId})` : diff
}

function describeChange(diff: string): string {
  const { files, added, removed } = countDiff(diff)
  if (files === 0) return 'nothing changed yet'
  const names = [...diff.matchAll(/^diff --git .* b\/(.*)$/gm)].map(([, name]) => name)
  const more = names.length > MOST_FILES ? ` and ${names.length - MOST_FILES} more` : ''
  return `${plural(files, 'file')}, +${added} -${removed}: ${names.slice(0, MOST_FILES).join('  ')}${more}`
}

const MOST_LEFT = 5

/** Of all projects with a train; one that cannot be read has no lines. */
export async function readTrains(ao: Ao): Promise<TrainLine[]> {
  const projects = Object.values(ao.config.projects).filter(({ landing }) => landing?.mode === 'train')
  if (projects.length === 0) return []
  const [{ readTrainReport }, { hostedReport }, { hasOwnTrain }, { scmOf }] = await Promise.all([
    import('../../../landing/train/train-report.ts'),
    import('../../../landing/hosted/report-hosted.ts'),
    import('../../../landing/own-train.ts'),
    import('../../../manager/context.ts'),
  ])
  const lines: TrainLine[] = []
  for (const project of projects) {
    const { dir } = ao.paths.project(project.id)
    const scm = await scmOf(ao.context, project)
    const { riders, left } = readTrainReport(
      hasOwnTrain(scm) ? scm.train(project).report : hostedReport(dir),
      dir,
      project,
    )
    const aboard = riders.map(({ pull, title, at, session, state }) => ({ pull, title, at, session, state }))
    const gone = left
      .slice(-MOST_LEFT)
      .map(({ pull, title, at, why }) => ({ pull, title, at, session: null, state: `left: ${why}` }))
    lines.push(...[...aboard, ...gone.reverse()].map((line) => ({ ...line, projectId: project.id })))
  }
  return lines
}
