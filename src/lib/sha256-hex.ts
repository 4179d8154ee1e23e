// SHA-256 of short text in plain JavaScript, because every command needs the name of its data directory: 0.5 ms of CPU,
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
    const w15 = words[index - 15]!
    const w2 = words[index - 2]!
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
    // One by one: exchanged as arrays, they take three times as long.
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index]! += value
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

// The standard defines them by the roots of the first primes; computing them here would take longer than a hash.
// biome-ignore format: a table
const INITIAL = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]
// biome-ignore format: a table
const ROUND = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]
