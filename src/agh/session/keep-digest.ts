// Keeps the digest of a driven session up to date with every commit. It is written with the metadata, at the end of turns.
import { EMPTY_DIGEST, foldDigest } from '../../core/agh/digest.ts'
import type { LiveSession } from './live-session.ts'

export function keepDigest(session: LiveSession): void {
  if (!session.meta.driver) return
  session.store.subscribe((rows) => {
    const digest = rows.reduce(foldDigest, session.meta.digest ?? EMPTY_DIGEST)
    session.meta = { ...session.meta, digest }
  })
}
