// The icon of the installed page as a PNG: the ring and the dot of the tab's icon, drawn here because phones accept no SVG.
import { crc32, deflateSync } from 'node:zlib'

const BLUE = [0x3d, 0x63, 0xdd] as const
const PAPER = [0xff, 0xff, 0xff] as const
/** Points per pixel and side, for smooth edges. */
const POINTS = 4

export function drawAppIcon(size: number): Buffer {
  const rows = Buffer.alloc(size * (size * 3 + 1))
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const share = coverage(x, y, size)
      for (let part = 0; part < 3; part++)
        rows[y * (size * 3 + 1) + 1 + x * 3 + part] = Math.round(BLUE[part]! * share + PAPER[part]! * (1 - share))
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND'),
  ])
}

/** Smaller than the tab's, so that a system may cut its corners. */
function coverage(x: number, y: number, size: number): number {
  let inside = 0
  for (let point = 0; point < POINTS * POINTS; point++) {
    const dx = (x + ((point % POINTS) + 0.5) / POINTS) / size - 0.5
    const dy = (y + (Math.floor(point / POINTS) + 0.5) / POINTS) / size - 0.5
    const radius = Math.hypot(dx, dy)
    if (radius < 0.085 || (radius > 0.19 && radius < 0.31)) inside += 1
  }
  return inside / (POINTS * POINTS)
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
