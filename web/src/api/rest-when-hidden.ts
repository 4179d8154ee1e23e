// Browsers open six connections to a server and no more, and each page's stream takes one permanently. Hidden pages keep
// theirs only while there are few of them; otherwise a seventh page would wait forever.

const HIDDEN_STREAMS = 3

interface Streaming {
  rest: () => void
  wake: () => void
}

/** Returns a function that stops it. */
export function restWhenHidden({ rest, wake }: Streaming): () => void {
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
