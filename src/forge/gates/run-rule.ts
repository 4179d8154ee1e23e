// A gate that ao answers itself: from the objects of git, without a checkout and without running anything.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { judgeChange } from '../../core/landing/judge-change.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { CheckEnd } from '../../slots/far-checkout.ts'
import type { CiCommand } from '../forge-options.ts'
import { type CommitRange, readAddedLines, readChangedFiles } from './read-change.ts'

export async function runRule(command: CiCommand, range: CommitRange, logFile: string): Promise<CheckEnd> {
  const rule = command.rule ?? {}
  const files = await readChangedFiles(range)
  const added = rule.secrets && files.length > 0 ? await readAddedLines(range) : []
  const found = judgeChange(rule, { files, added })
  const why = found.length === 0 ? `${command.name} found nothing` : `${command.name} does not allow this change`
  const about = `${files.length} changed files between ${range.from.slice(0, 10)} and ${range.to.slice(0, 10)}`
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 })
  writeFileAtomic(logFile, `${[command.run, about, ...found, why].join('\n')}\n`)
  return { kind: found.length === 0 ? 'passed' : 'failed', exitCode: null, why }
}
