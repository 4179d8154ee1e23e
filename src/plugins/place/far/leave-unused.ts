// A host that nobody needs ends by itself: one in which no agent was launched, because its creator died, and one that was started
// only to save the work of an agent that has ended. As long as home is heard of, somebody is preparing or reading something.

/** Home asks for a sign of life every two seconds while it is connected. */
const SILENT_MS = 120_000
const CHECK_MS = 10_000

interface UnusedHost {
  isUnused(): boolean
  leave(): void
  now?(): number
}

/** Returns what is to be called whenever home is heard of. */
export function leaveUnused({ isUnused, leave, now = () => performance.now() }: UnusedHost): () => void {
  let heardAt = now()
  setInterval(() => {
    if (now() - heardAt >= SILENT_MS && isUnused()) leave()
  }, CHECK_MS)
  return () => {
    heardAt = now()
  }
}
