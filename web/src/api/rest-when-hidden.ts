// Browsers open six HTTP connections to a server and no more, and a stream of events takes one permanently. Where pages have no
// WebSocket, hidden ones keep theirs only while there are few of them; otherwise a seventh page would wait forever.

const HIDDEN_STREAMS = 3

interface Streaming {
  /** Whether this page takes one of them. */
  isScarce: () => boolean
  rest: () => void
  wake: () => void
}

/** Returns a function that stops it. */
export function restWhenHidden({ isScarce, rest, wake }: Streaming): () => void {
  let giveBack: (() => void) | null = null
  let resting = false
  const isHidden = () => document.visibilityState === 'hidden'
  const onChange = async () => {
    if (!isHidden()) {
      giveBack?.()
      giveBack = null
      if (resting) wake()
      resting = false
      return
    }
    if (!isScarce()) return
    giveBack ??= await takeSlot()
    // Visible again meanwhile: then this very function has run once more.
    if (!isHidden() || giveBack !== null || resting) return
    resting = true
    rest()
  }
  const listen = () => void onChange()
  document.addEventListener('visibilitychange', listen)
  return () => {
    document.removeEventListener('visibilitychange', listen)
    giveBack?.()
  }
}

/** null: all are taken by other pages. A slot is released when its page is closed. */
async function takeSlot(): Promise<(() => void) | null> {
  for (let slot = 0; slot < HIDDEN_STREAMS; slot += 1) {
    const release = await tryLock(`ao.stream.${slot}`)
    if (release) return release
  }
  return null
}

function tryLock(name: string): Promise<(() => void) | null> {
  return new Promise((answer) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (!lock) return answer(null)
      return new Promise<void>((release) => answer(release))
    })
  })
}
