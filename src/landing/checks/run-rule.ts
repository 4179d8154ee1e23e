// A gate that ao answers itself: from the objects of git, without a checkout and without running anything.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { judgeFindings, reviewOf } from '../../core/forge/judge-finding.ts'
import { type GateRule, judgeChange } from '../../core/landing/judge-change.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { CheckEnd } from '../../slots/far-checkout.ts'
import { readReviews } from '../../store/reviews.ts'
import type { CheckStore, CiCommand } from './check-store.ts'
import { type CommitRange, readAddedLines, readChangedFiles } from './read-change.ts'

export async function runRule(
  command: CiCommand,
  range: CommitRange,
  { logFile, projectDir }: { logFile: string; projectDir?: string | undefined },
): Promise<CheckEnd> {
  const rule = command.rule ?? {}
  const files = await readChangedFiles(range)
  const added = rule.secrets && files.length > 0 ? await readAddedLines(range) : []
  const found = [...judgeChange(rule, { files, added }), ...objections(rule, range, projectDir)]
  const why = found.length === 0 ? `${command.name} found nothing` : `${command.name} does not allow this change`
  const about = `${files.length} changed files between ${range.from.slice(0, 10)} and ${range.to.slice(0, 10)}`
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 })
  writeFileAtomic(logFile, `${[command.run, about, ...found, why].join('\n')}\n`)
  return { kind: found.length === 0 ? 'passed' : 'failed', exitCode: null, why }
}

/** Of the reviewer that read exactly this change. */
function objections({ reviewed }: GateRule, { from, to }: CommitRange, projectDir: string | undefined): string[] {
  // The commit that work started from changes nothing.
  if (reviewed === undefined || from === to) return []
  const review = projectDir === undefined ? null : reviewOf(readReviews(projectDir), { head: to, from })
  return review === null ? ['nobody has reviewed it'] : judgeFindings(review, reviewed)
}

/** Those that can be answered now. The others stay open: they wait for a reviewer. */
export function holdUnreviewed<Command extends CiCommand>(
  commands: readonly Command[],
  {
    store,
    key,
    from,
    head,
    projectDir,
  }: { store: CheckStore; key: string; from: string; head: string; projectDir: string },
): Command[] {
  const waiting = commands.filter(({ rule }) => rule?.reviewed !== undefined)
  const isAnswered = from === head || reviewOf(readReviews(projectDir), { head, from }) !== null
  if (waiting.length === 0 || isAnswered) return [...commands]
  for (const command of waiting) store.hold(key, command, 'no reviewer has finished with this commit yet')
  return commands.filter((one) => !waiting.includes(one))
}
