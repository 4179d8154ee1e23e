// Commits of a repository that home sent to this machine for earlier sessions. Agents run as the same user and could write here, so a
// session borrows nothing: it copies, and git computes every id anew. What was changed is another object then, which nobody asked for,
// and home sends what is missing.
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { readIfThere, readPieces } from '../../../lib/plain-file.ts'
import { removeTree } from '../../../lib/remove.ts'
import { readPack } from '../work/pack.ts'

/** Less is sent again; it becomes a pack here when there is more of it. */
const WORTH_KEEPING_BYTES = 1024 * 1024
const MOST_PACKS = 16
const UNUSED_MS = 30 * 24 * 60 * 60_000
const COMMIT = /^[0-9a-f]{40,64}$/

/** Into the repository of one session. Resolves with the commits that are there now, as far as the cache is honest. */
export async function copyFromCache(cache: string, origin: string): Promise<string[]> {
  const tips = new Set<string>()
  try {
    for (const name of packsIn(cache)) {
      const pack = Readable.from(readPieces(join(cache, `${name}.pack`)))
      await readPack({ gitDir: origin, env: process.env }, pack, { isStrict: false })
      for (const id of (readIfThere(join(cache, `${name}.tips`)) ?? '').split('\n')) if (COMMIT.test(id)) tips.add(id)
    }
    if (tips.size > 0) utimesSync(cache, new Date(), new Date())
    return [...tips]
  } catch {
    // Damaged, by whomever: home sends everything, and that is kept instead.
    removeTree(cache)
    return []
  }
}

/** The pack that home just sent, before any agent of its session was started. */
export function addToCache(cache: string, pack: string, tips: readonly string[]): void {
  const before = packsIn(cache)
  if (before.length > 0 && statSync(pack).size < WORTH_KEEPING_BYTES) return
  // Packs build upon each other: all of them go, and the next session fills it again.
  if (before.length >= MOST_PACKS) {
    removeTree(cache)
    return
  }
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const name = join(cache, `${Date.now()}-${process.pid}`)
  // Not a link: the session's agent could write through it.
  copyFileSync(pack, `${name}.pack`, constants.COPYFILE_FICLONE)
  // Last: it says that the pack is there.
  writeFileAtomic(`${name}.tips`, `${tips.join('\n')}\n`)
}

/** Of repositories that nobody works on here any longer. */
export function forgetUnused(caches: string, now: number): void {
  for (const name of existsSync(caches) ? readdirSync(caches) : []) {
    const cache = join(caches, name)
    if (now - statSync(cache).mtimeMs > UNUSED_MS) removeTree(cache)
  }
}

/** In their order. */
function packsIn(cache: string): string[] {
  const names = existsSync(cache) ? readdirSync(cache) : []
  return names.flatMap((name) => (name.endsWith('.tips') ? [name.slice(0, -'.tips'.length)] : [])).toSorted()
}
