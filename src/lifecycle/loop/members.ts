// Which configurations a running process watches: `~/.ao/repositories.json`. A command adds or removes one; the process that
// it names starts or ends its part. What names a process that is gone counts for nothing.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { withLock } from '../../lib/lock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { mayBeAlive } from '../../lib/process/process-identity.ts'

export interface Member {
  configPath: string
  /** `pid:start:boot` of the process that watches it. */
  process: string
  /** It is to end there. Said outright: an entry that is merely missing ends nothing. */
  leaving?: true
  /** Why that process does not watch it. */
  problem?: string | undefined
}

export function membersFile(home: string): string {
  return join(home, '.ao', 'repositories.json')
}

/** Throws when there is a file that cannot be read: unknown is not none. */
export function readMembers(home: string): Member[] {
  const text = readIfThere(membersFile(home))
  if (text === null) return []
  const { repositories } = JSON.parse(text) as { repositories: Member[] }
  return repositories.filter((one) => typeof one?.configPath === 'string' && typeof one.process === 'string')
}

export async function changeMembers(home: string, change: (members: Member[]) => Member[]): Promise<void> {
  const file = membersFile(home)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  await withLock(`${file}.lock`, () => {
    const repositories = change(readOrBegin(home)).filter(({ process }) => mayBeAlive(process))
    writeFileAtomic(file, `${JSON.stringify({ version: 1, repositories }, null, 2)}\n`)
  })
}

/** One more for this process; what another process had of it is replaced. */
export function withMember(member: Member): (members: Member[]) => Member[] {
  return (members) => [...members.filter(({ configPath }) => configPath !== member.configPath), member]
}

export function withoutMember({ configPath, process }: Member): (members: Member[]) => Member[] {
  return (members) => members.filter((one) => one.configPath !== configPath || one.process !== process)
}

/** A damaged file holds nothing that a running process does not know better. */
function readOrBegin(home: string): Member[] {
  try {
    return readMembers(home)
  } catch {
    return []
  }
}
