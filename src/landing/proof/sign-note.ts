// Signatures on notes, with ssh-keygen and the key that git itself signs with (`user.signingkey`). The signature follows the
// text that it is about, in the same note.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { isLocal } from '../../core/git/local-settings.ts'
import type { Signature } from '../../core/landing/judge-proof.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { type ExecResult, exec } from '../../lib/exec.ts'
import { readIfReachable } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'

/** A signature for another purpose says nothing about a landing. */
const NAMESPACE = 'ao-proof'
const BEGIN = '-----BEGIN SSH SIGNATURE-----'
const TIMEOUT_MS = 20_000

export interface SignedText {
  text: string
  signature: string | null
}

export function splitNote(note: string): SignedText {
  const at = note.indexOf(`\n${BEGIN}`)
  return at === -1 ? { text: note, signature: null } : { text: note.slice(0, at + 1), signature: note.slice(at + 1) }
}

/** The text with its signature. Throws when there is no key, or it cannot be used without asking. */
export function signText(repository: Repository, text: string): Promise<string> {
  return withDirectory(async (directory) => {
    const key = await signingKey(repository, directory)
    if (key === null) {
      throw new AoError('USAGE', 'landing.sign needs an ssh key, and git has none: user.signingkey is not set', {
        hint: 'Say which: git config --global gpg.format ssh && git config --global user.signingkey ~/.ssh/id_ed25519.pub',
      })
    }
    const args = ['-Y', 'sign', '-n', NAMESPACE, '-f', key.file, ...(key.isLiteral ? ['-U'] : [])]
    const result = await ask(repository, args, text)
    if (result.ok && result.stdout.startsWith(BEGIN)) return `${text}${result.stdout}`
    throw new AoError('USAGE', `ssh-keygen could not sign: ${reason(result)}`)
  })
}

export function readSignature(repository: Repository, { text, signature }: SignedText): Promise<Signature> {
  if (signature === null) return Promise.resolve({ kind: 'none' })
  return withDirectory(async (directory): Promise<Signature> => {
    const file = join(directory, 'signature')
    writeFileSync(file, signature, { mode: 0o600 })
    const whole = await ask(repository, ['-Y', 'check-novalidate', '-n', NAMESPACE, '-s', file], text)
    if (whole.startError) return { kind: 'unknown', why: 'ssh-keygen is not installed here' }
    if (!whole.ok) return { kind: 'broken' }
    const key = /key (SHA256:\S+)/.exec(whole.stdout)?.[1] ?? 'an unnamed key'
    for (const signers of await allowedSigners(repository, directory)) {
      const found = await ask(repository, ['-Y', 'find-principals', '-s', file, '-f', signers], '')
      const by = found.ok ? (found.stdout.split('\n')[0] ?? '').trim() : ''
      if (by === '') continue
      const checked = await ask(
        repository,
        ['-Y', 'verify', '-n', NAMESPACE, '-I', by, '-f', signers, '-s', file],
        text,
      )
      if (checked.ok) return { kind: 'good', by, key }
    }
    return { kind: 'stranger', key }
  })
}

/** Those that git trusts, then the user's own key. */
async function allowedSigners(repository: Repository, directory: string): Promise<string[]> {
  const configured = await setting(repository, ['--type=path', 'gpg.ssh.allowedSignersFile'])
  const own = await signingKey(repository, directory)
  const publicKey = own && (await publicPart(repository, own))
  if (publicKey === null) return configured === null ? [] : [configured]
  const name = (await setting(repository, ['user.email'])) ?? 'you'
  const file = join(directory, 'signers')
  writeFileSync(file, `${name.replace(/[\s"*?!,]/g, '') || 'you'} ${publicKey}\n`, { mode: 0o600 })
  return configured === null ? [file] : [configured, file]
}

interface SigningKey {
  file: string
  /** Only its public part is here: the agent has the other one. */
  isLiteral: boolean
  text: string | null
}

/** null: none is configured. */
async function signingKey(repository: Repository, directory: string): Promise<SigningKey | null> {
  const value = await setting(repository, ['user.signingkey'])
  if (value === null) return null
  const literal = value.startsWith('key::') ? value.slice(5) : /^(ssh|ecdsa|sk)-/.test(value) ? value : null
  if (literal === null) {
    const file = (await setting(repository, ['--type=path', 'user.signingkey'])) ?? value
    return { file, isLiteral: false, text: null }
  }
  const file = join(directory, 'key.pub')
  writeFileSync(file, `${literal}\n`, { mode: 0o600 })
  return { file, isLiteral: true, text: literal }
}

async function publicPart(repository: Repository, { file, text }: SigningKey): Promise<string | null> {
  if (text !== null) return text
  const named = readIfReachable(file.endsWith('.pub') ? file : `${file}.pub`)?.trim()
  if (named) return named
  const result = await ask(repository, ['-y', '-P', '', '-f', file], '')
  return result.ok ? result.stdout.trim() : null
}

/**
 * From the user's own settings only, which may depend on where the repository is. Agents can write the repository's: with a key
 * or a list of signers from there, anybody's signature would be good.
 */
async function setting(repository: Repository, name: readonly string[]): Promise<string | null> {
  const args = ['config', '-z', '--show-scope', '--get-all', ...name]
  const result = await tryGitOn(repository, args, { read: true })
  if (!result.ok) return null
  const fields = result.stdout.split('\0')
  const values = fields.flatMap((scope, at) => (at % 2 === 0 && !isLocal({ scope }) ? (fields[at + 1] ?? []) : []))
  return values.at(-1) || null
}

/** Nobody is there to type a passphrase. */
function ask(repository: Repository, args: readonly string[], input: string): Promise<ExecResult> {
  const env = { ...repository.env, SSH_ASKPASS_REQUIRE: 'never', SSH_ASKPASS: '' }
  return exec('ssh-keygen', args, { env, input, timeoutMs: TIMEOUT_MS })
}

function reason({ stderr, startError, timedOut }: ExecResult): string {
  if (startError) return startError.message
  if (timedOut) return 'it did not answer'
  return stderr.trim().split('\n').at(-1) ?? ''
}

async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'ao-sign-'))
  try {
    return await work(directory)
  } finally {
    removeTree(directory)
  }
}
