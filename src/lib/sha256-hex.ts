// SHA-256 of short text in plain JavaScript, because every command needs the name of its data directory: 0.7 ms of CPU,
// where loading node:crypto costs 6 and starting Node itself 21 (Node 24). For anything long or secret use node:crypto.

/** In lower-case hex. */
export function sha256Hex(text: string): string {
  const state = Uint32Array.from(INITIAL)
  const words = new Uint32Array(64)
  const message = padded(new TextEncoder().encode(text))
  for (let offset = 0; offset < message.byteLength; offset += 64) compress(state, words, message, offset)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** The text, a one bit, zeros, and the length in bits: a multiple of 64 bytes. */
function padded(bytes: Uint8Array): DataView {
  const length = Math.ceil((bytes.length + 9) / 64) * 64
  const message = new Uint8Array(length)
  message.set(bytes)
  message[bytes.length] = 0x80
  const view = new DataView(message.buffer)
  view.setUint32(length - 8, Math.floor(bytes.length / 0x20000000))
  view.setUint32(length - 4, bytes.length << 3)
  return view
}

function compress(state: Uint32Array, words: Uint32Array, message: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = message.getUint32(offset + index * 4)
  for (let index = 16; index < 64; index++) {
    const [w15, w2] = [words[index - 15]!, words[index - 2]!]
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
    words[index] = words[index - 16]! + s0 + words[index - 7]! + s1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let index = 0; index < 64; index++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[index]! + words[index]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index]! += value
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The fractional parts of the roots of the first primes, as the standard defines its constants. */
const PRIMES = firstPrimes(64)
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUND = PRIMES.map((prime) => fraction(Math.cbrt(prime)))

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 0x100000000) | 0
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  }
  return primes
}
