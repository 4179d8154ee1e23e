// What ao remembers about the Claude sessions of one ao session: `{stateDir}/claude.json`, written before each launch.
import * as z from 'zod/mini'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { stateFiles } from './claude-paths.ts'

const recordSchema = z.object({
  /** The id of the newest session that ao started. */
  sessionId: z.string(),
  /** Ids of launches before it, oldest first. */
  earlier: z.array(z.string()),
  configDir: z.string(),
  launchedAt: z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
})

export type LaunchRecord = z.infer<typeof recordSchema>

const MAX_EARLIER = 100

/** null: no launch was prepared here, or the file is damaged; the transcripts are then found by their directory. */
export function readLaunchRecord(stateDir: string): LaunchRecord | null {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(readPlainText(stateFiles.record(stateDir))))
    return parsed.success ? parsed.data : null
  } catch {
    // Not there, or no JSON: both mean that nothing is known.
    return null
  }
}

/** `newSessionId` null: Claude goes on with a session that is known already. */
export function writeLaunchRecord(
  stateDir: string,
  launch: { newSessionId: string | null; configDir: string; launchedAt: Date },
): void {
  const before = readLaunchRecord(stateDir)
  const known = before ? [...before.earlier, before.sessionId] : []
  const ids = launch.newSessionId === null ? known : [...known, launch.newSessionId]
  const record: LaunchRecord = {
    sessionId: ids.at(-1) ?? '',
    earlier: ids.slice(0, -1).slice(-MAX_EARLIER),
    configDir: launch.configDir,
    launchedAt: launch.launchedAt.toISOString(),
  }
  writeFileAtomic(stateFiles.record(stateDir), `${JSON.stringify(record, null, 2)}\n`)
}
