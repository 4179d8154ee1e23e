// The risk of one pull request: as the loop measured it for its session, else from git where its commits are here.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Pull } from '../../contract/pull.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { judgeRisk, type Risk } from '../../core/review/judge-risk.ts'
import { openRepository, resolveRef } from '../../git/repository.ts'
import { readChangeSize } from '../../landing/checks/read-change-size.ts'
import { readChangedChecks } from '../../landing/checks/read-changed-checks.ts'
import type { Scm } from '../../slots/scm.ts'

export interface RiskQuestion {
  project: ProjectConfig
  scm: Scm | null
  pull: Pull
  /** Of its session; undefined: it has none. */
  record: Pick<SessionRecord, 'changedChecks' | 'meets'> | undefined
  env: NodeJS.ProcessEnv
}

export async function readRisk(question: RiskQuestion): Promise<Risk> {
  const { pull, record } = question
  const mark = record?.changedChecks?.head === pull.headSha ? record.changedChecks : undefined
  const measured = mark?.size ? { size: mark.size, ownChecks: mark.paths } : await measure(question)
  return judgeRisk({
    size: measured?.size ?? null,
    ownChecks: measured?.ownChecks ?? null,
    findings: pull.checks.flatMap(({ finding }) => finding ?? []),
    conflicts: record?.meets?.filter(({ conflict }) => conflict === true).length ?? null,
  })
}

/** null: its commits are elsewhere, or could not be read. */
async function measure({ project, scm, pull, env }: RiskQuestion) {
  if (pull.state !== 'open' || !scm?.costsNothing || scm.readRange === undefined) return null
  try {
    const repository = openRepository(project.path, env)
    const range = { repository, ...(await scm.readRange(pull, project)) }
    const tip = await resolveRef(repository, `refs/heads/${pull.pr.baseBranch ?? project.defaultBranch}`)
    return {
      size: await readChangeSize(project, range, tip),
      ownChecks: await readChangedChecks(project, range),
    }
  } catch {
    // Said by the diff and the checks of the same pull request; here it counts as unknown, which is the worst.
    return null
  }
}
