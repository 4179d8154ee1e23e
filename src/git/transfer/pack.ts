// Objects on their way from one repository into another on this machine, as a pack: the receiving side computes every id anew.
import type { Readable, Writable } from 'node:stream'
import { AoError } from '../../contract/errors.ts'
import { lastLines, startGit } from '../git.ts'
import type { Repository } from '../repository.ts'

export interface PackRequest {
  from: Repository
  /** Ids of objects; with `revs`: revisions, and everything that they lead to. */
  input: readonly string[]
  revs?: boolean | undefined
  into: Repository
  /** For the receiving side, such as a directory for what comes in. */
  extraEnv?: Record<string, string> | undefined
}

/** Resolves when all of them are there, on the disk. */
export async function sendPack({ from, input, revs = false, into, extraEnv }: PackRequest): Promise<void> {
  const flags = ['--stdout', '--quiet', '--delta-base-offset', '--window=0', ...(revs ? ['--revs'] : [])]
  // What is missing is never fetched.
  const env = { ...from.env, GIT_NO_LAZY_FETCH: '1' }
  const sender = startGit(['pack-objects', ...flags], { gitDir: from.commonDir, env })
  const receiver = startGit(['index-pack', '--stdin'], { gitDir: into.commonDir, env: into.env, extraEnv })
  const list = input.map((line) => `${line}\n`).join('')
  const ends = [endOf(sender, 'pack-objects', list), endOf(receiver, 'index-pack')]
  // A pack that is cut off is refused: its last bytes are a hash of all others.
  for (const stream of [sender.stdout, receiver.stdin]) stream.on('error', () => undefined)
  receiver.stdout.resume()
  sender.stdout.pipe(receiver.stdin)
  // A pipe ends when its source does, not when it fails: the receiver would wait for the rest.
  sender.on('error', () => receiver.stdin.destroy())
  const results = await Promise.allSettled(ends)
  // Whichever failed first, the sender's reason explains the receiver's.
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

interface Child {
  stdin: Writable
  stderr: Readable
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'close', listener: (code: number | null) => void): unknown
}

/** Rejects with what git printed, or when it did not get all of `input`: it would pack what half of a list leads to. */
export function endOf(child: Child, what: string, input?: string): Promise<void> {
  let stderr = ''
  let lost: Error | null = null
  if (input !== undefined) {
    child.stdin.on('error', (error: Error) => {
      lost = error
    })
    child.stdin.end(input)
  }
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-4_000)
  })
  const done = new Promise<void>((resolve, reject) => {
    child.on('error', (error) =>
      reject(new AoError('GIT_FAILED', `git ${what} could not be started: ${error.message}`)),
    )
    child.on('close', (code) => {
      if (code === 0 && lost === null) resolve()
      else if (code === 0) reject(new AoError('GIT_FAILED', `git ${what} did not get its input: ${lost?.message}`))
      else reject(new AoError('GIT_FAILED', `git ${what} failed: ${lastLines(stderr) || `exit code ${code}`}`))
    })
  })
  // Whoever reads the pack may see its end first.
  done.catch(() => undefined)
  return done
}
