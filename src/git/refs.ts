// Reads refs from git's files, so that the normal spawn needs no subprocess for queries.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { MAX_FOREIGN_BYTES, readIfReachable } from '../lib/plain-file.ts'
import { gitOn, type Repository, tryGitOn } from './repository.ts'

/** The object a full ref name resolves to, or null when there is no such ref. */
export async function resolveRef(repository: Repository, ref: string): Promise<string | null> {
  if (existsSync(join(repository.commonDir, 'reftable'))) return askGit(repository, ref)
  return readRef(repository.commonDir, ref)
}

/** Names of existing branches, for messages: local ones first, at most twenty. */
export async function branchNames(repository: Repository): Promise<string[]> {
  const format = ['for-each-ref', '--count=20', '--format=%(refname:short)']
  const listed = await gitOn(repository, [...format, 'refs/heads', 'refs/remotes'], { read: true })
  return listed.split('\n').filter((name) => name !== '')
}

async function askGit(repository: Repository, ref: string): Promise<string | null> {
  const result = await tryGitOn(repository, ['rev-parse', '--verify', '--quiet', ref], { read: true })
  return result.ok ? result.stdout.trim() : null
}

function readRef(commonDir: string, ref: string, depth = 0): string | null {
  const loose = readText(join(commonDir, ref))?.trim()
  if (loose === undefined || loose === '') return readPacked(commonDir, ref)
  if (!loose.startsWith('ref: ')) return loose
  return depth > 4 ? null : readRef(commonDir, loose.slice(5).trim(), depth + 1)
}

function readPacked(commonDir: string, ref: string): string | null {
  const packed = readText(join(commonDir, 'packed-refs')) ?? ''
  const at = packed.indexOf(` ${ref}\n`)
  return at === -1 ? null : packed.slice(packed.lastIndexOf('\n', at) + 1, at)
}

function readText(path: string): string | undefined {
  try {
    return readIfReachable(path, { maxBytes: MAX_FOREIGN_BYTES }) ?? undefined
  } catch (error) {
    // A directory: `feat` was requested and `feat/x` exists.
    if (error instanceof AoError && error.code === 'FILE_UNUSABLE') return undefined
    throw error
  }
}
