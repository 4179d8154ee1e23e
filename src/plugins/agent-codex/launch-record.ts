// What ao remembers about the newest launch of Codex: `{stateDir}/codex.json`, written before it.
import * as z from 'zod/mini'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { stateFiles } from './codex-paths.ts'

const recordSchema = z.object({
  launchedAt: z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  codexHome: z.string(),
  isResume: z.boolean(),
  /** Without one Codex writes nothing before the first message. */
  hasPrompt: z.boolean(),
  hooks: z.union([
    z.object({ use: z.literal('ours'), trusted: z.record(z.string(), z.string()) }),
    z.object({ use: z.literal('none'), unreviewed: z.array(z.string()) }),
    z.object({ use: z.literal('as configured') }),
  ]),
})

export type LaunchRecord = z.infer<typeof recordSchema>

/** null: no launch was prepared here, or the file is damaged. */
export function readLaunchRecord(stateDir: string): LaunchRecord | null {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(readPlainText(stateFiles.record(stateDir))))
    return parsed.success ? parsed.data : null
  } catch {
    // Not there, or no JSON: both mean that nothing is known.
    return null
  }
}

export function writeLaunchRecord(stateDir: string, record: LaunchRecord): void {
  writeFileAtomic(stateFiles.record(stateDir), `${JSON.stringify(record, null, 2)}\n`)
}
