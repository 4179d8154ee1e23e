// The note of a landed commit, signed where the project wants that.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { FORMATS, newerFormat, versionIn } from '../../contract/formats.ts'
import type { Proof } from '../../core/landing/judge-proof.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { signText } from './sign-note.ts'

export const PROOF_REF = 'ao/proof'

/** Who wrote it, from the session's record. */
export type Origin = Pick<Proof, 'agent' | 'model' | 'costUsd' | 'issue'>

const IDENTITY = ['-c', 'user.name=ao', '-c', 'user.email=ao@localhost']

/** Returns why it is not signed although it should be. */
export async function writeNote(
  repository: Repository,
  project: Pick<ProjectConfig, 'landing'>,
  commit: string,
  proof: Proof,
): Promise<string | null> {
  const before = await tryGitOn(repository, ['notes', `--ref=${PROOF_REF}`, 'show', commit], { read: true })
  const version = before.ok ? versionIn(before.stdout) : 1
  // What a newer program proved stays.
  if (version > FORMATS.proof) return newerFormat(`the proof of ${commit}`, version, FORMATS.proof).message
  const args = [...IDENTITY, 'notes', `--ref=${PROOF_REF}`, 'add', '--force', '-F', '-', commit]
  const text = `${JSON.stringify(proof, null, 2)}\n`
  const { note, problem } = await sign(repository, project, text)
  await gitOn(repository, args, { input: note })
  return problem
}

/** A landed commit stays landed: a key that cannot be used leaves the note unsigned, and `ao verify` says so. */
async function sign(
  repository: Repository,
  { landing }: Pick<ProjectConfig, 'landing'>,
  text: string,
): Promise<{ note: string; problem: string | null }> {
  if (landing?.sign !== true) return { note: text, problem: null }
  try {
    return { note: await signText(repository, text), problem: null }
  } catch (error) {
    return { note: text, problem: errorText(error) }
  }
}
