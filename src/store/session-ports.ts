// Which block of ports belongs to which session: `~/.ao/ports.json`, one file for all repositories of this user, because
// ports belong to the machine. A block is free again when its session's record is gone.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PortBlock } from '../core/session/agent-environment.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { withLock } from '../lib/lock.ts'
import { readIfThere } from '../lib/plain-file.ts'

interface OwnedBlock extends PortBlock {
  /** The file of the session's record. */
  record: string
}

interface PortRequest {
  record: string
  before: number | undefined
  wanted: PortBlock
  /** Ports of our own, such as the dashboard's. */
  reserved: readonly number[]
}

/** The block of this session, the one it had before if that is still its own. null: all are taken. */
export async function takePorts(
  home: string,
  { record, before, wanted, reserved }: PortRequest,
): Promise<PortBlock | null> {
  const file = join(home, '.ao', 'ports.json')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return withLock(`${file}.lock`, () => {
    const all = readBlocks(file)
    const own = all.find((one) => one.record === record && one.first === before)
    if (own) return { first: own.first, count: own.count }
    const others = all.filter((one) => one.record !== record && existsSync(one.record))
    const taken = [...others, ...reserved.map((port) => ({ first: port, count: 1 }))]
    const block =
      freeBlock(before === undefined ? wanted : { ...wanted, first: before }, taken) ?? freeBlock(wanted, taken)
    if (block === null) return null
    const blocks = [...others, { ...block, record }]
    writeFileAtomic(file, `${JSON.stringify({ version: 1, blocks }, null, 2)}\n`)
    return block
  })
}

/** The first block of that size that overlaps none of the taken ones; null: there is none. */
export function freeBlock({ first, count }: PortBlock, taken: readonly PortBlock[]): PortBlock | null {
  for (let start = first; start + count - 1 <= LAST_PORT; start += count) {
    const isFree = taken.every((one) => start + count <= one.first || one.first + one.count <= start)
    if (isFree) return { first: start, count }
  }
  return null
}

const LAST_PORT = 65_535

/** A damaged file is begun anew: a port that two sessions have is found by whoever listens second. */
function readBlocks(file: string): OwnedBlock[] {
  try {
    const { blocks } = JSON.parse(readIfThere(file) ?? '{"blocks":[]}') as { blocks: OwnedBlock[] }
    return blocks.filter((one) => Number.isInteger(one?.first) && Number.isInteger(one.count) && one.count > 0)
  } catch {
    return []
  }
}
