// What git keeps for ao: every object is read and its id computed anew, then it is named which saved work and which proofs need one
// that is damaged. Git runs hardened, and what the repository says about checking itself is not obeyed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../../contract/config.ts'
import { FORMATS, newerFormat, versionIn } from '../../../contract/formats.ts'
import { readProof } from '../../../core/landing/judge-proof.ts'
import { quoteForShell } from '../../../core/text/command-line.ts'
import { plural } from '../../../core/text/format-age.ts'
import { gitOn, openRepository, type Repository, tryGitOn } from '../../../git/repository.ts'
import { splitNote } from '../../../landing/proof/sign-note.ts'
import { PROOF_REF } from '../../../landing/proof/write-note.ts'
import type { AoPaths } from '../../../store/paths.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ledger } from './ledger.ts'
import type { Task } from './verify-files.ts'
import { goneProofs, goneRescues, type KeptIn } from './verify-kept.ts'

const TIMEOUT_MS = 60 * 60_000
const SHOWN = 3

export function gitTasks(projects: readonly ProjectConfig[], io: Io, { paths, ledger }: GitTasksOptions): Task[] {
  const byDirectory = new Map<string, KeptIn & { id: string }>()
  for (const { id, path } of projects.filter((one) => existsSync(join(one.path, '.git')))) {
    const repository = openRepository(path, io.env)
    const before = byDirectory.get(repository.commonDir)
    const kept = { id, path, repository, ledger, ...before, projects: [...(before?.projects ?? []), paths.project(id)] }
    byDirectory.set(repository.commonDir, kept)
  }
  return [...byDirectory.values()].map((kept) => ({ kind: 'repository', verify: () => verifyRepository(kept) }))
}

interface GitTasksOptions {
  paths: AoPaths
  ledger: Ledger
}

async function verifyRepository(kept: KeptIn & { id: string }): Promise<Finding[]> {
  const { id, path, repository } = kept
  const report = await readAll(repository)
  const damaged = damagedIn(report)
  const rescues = await rescueFindings(repository, damaged)
  const refs = refsIn(report)
  const others = [...damaged].filter((object) => !rescues.some(({ objects }) => objects.has(object)))
  // Whatever else git has to say, in its own words.
  const unclear = damaged.size === 0 && refs.size === 0 ? report : []
  const gone = (await goneRescues(kept)).filter(({ detail }) => ![...refs].some((ref) => detail.startsWith(`${ref} `)))
  return [
    ...rescues.map(({ finding }) => finding),
    ...[...refs].map((ref) => brokenRef(ref, path)),
    ...gone,
    ...(await proofFindings(repository)),
    ...(await goneProofs(kept)),
    ...(others.length + unclear.length > 0 ? [otherObjects(id, path, [...others, ...unclear])] : []),
  ]
}

function brokenRef(ref: string, path: string): Finding {
  const fix = ref.startsWith('refs/ao/rescue/')
    ? `The commit itself may be there: git -C '${path}' fsck --no-reflogs --lost-found lists what no ref names`
    : `Earlier values, if git noted them: git -C '${path}' reflog show ${quoteForShell(ref)}`
  return { level: 'fail', name: ref, detail: `${ref} in ${path} no longer names a commit`, fix }
}

function otherObjects(id: string, path: string, objects: readonly string[]): Finding {
  const named = objects.slice(0, SHOWN).join(', ')
  return {
    ...{ level: 'fail', name: `git objects of ${id}` },
    detail: `${plural(objects.length, 'object')} of ${path} damaged or missing: ${named}`,
    fix: `A remote may still have them: git -C '${path}' fetch --refetch, then git -C '${path}' fsck --full`,
  }
}

/** What git finds when it reads everything. */
async function readAll(repository: Repository): Promise<string[]> {
  const args = ['fsck', '--full', '--no-dangling', '--no-progress', '--no-reflogs']
  const { ok, stdout, stderr } = await tryGitOn(repository, args, { read: true, timeoutMs: TIMEOUT_MS })
  const lines = `${stderr}\n${stdout}`.split('\n').filter((line) => /^(error|fatal|missing|broken link)/.test(line))
  return ok || lines.length > 0 ? lines : [`git fsck failed: ${stderr.trim()}`]
}

const OBJECT = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g
const LOOSE = /objects\/([0-9a-f]{2})\/([0-9a-f]{38,62})/g

function damagedIn(lines: readonly string[]): Set<string> {
  const found = lines.filter((line) => !line.startsWith('broken link') && !/^error: refs\//.test(line))
  return new Set(
    found.flatMap((line) => [
      ...[...line.matchAll(OBJECT)].map((match) => match[0]),
      ...[...line.matchAll(LOOSE)].map((match) => `${match[1]}${match[2]}`),
    ]),
  )
}

function refsIn(lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap((line) => /^error: (refs\/[^\s:]+)/.exec(line)?.[1] ?? []))
}

/** Objects that only a rescue has, with the paths at which they are; those of branches belong to the repository. */
async function rescueFindings(repository: Repository, damaged: ReadonlySet<string>) {
  const format = '--format=%(refname) %(objectname)'
  const listed = await gitOn(repository, ['for-each-ref', format, 'refs/ao/rescue/'], { read: true })
  const refs = [...listed.matchAll(/^(refs\/ao\/rescue\/([^/\s]+)\/\d+) ([0-9a-f]+)$/gm)]
  const findings: Array<{ finding: Finding; objects: Set<string> }> = []
  for (const [, ref = '', session = '', commit = ''] of refs) {
    const args = ['rev-list', '--objects', commit, '--not', '--branches', '--remotes', '--tags']
    const { ok, stdout } = await tryGitOn(repository, args, { read: true, timeoutMs: TIMEOUT_MS })
    const hit = stdout.split('\n').filter((line) => damaged.has(idOf(line)))
    if (ok && hit.length === 0) continue
    const named = hit.slice(0, SHOWN).map((line) => line.replace(' ', ' at '))
    const what =
      hit.length > 0 ? `${plural(hit.length, 'object')} damaged: ${named.join(', ')}` : 'not all of it is there'
    const fix = `Take out the intact files one by one: git ls-tree -r --full-tree ${ref}, then git show ${ref}:<file>`
    const finding: Finding = { level: 'fail', name: `saved work of ${session}`, detail: `${ref}: ${what}`, fix }
    findings.push({ finding, objects: new Set(hit.map(idOf)) })
  }
  return findings
}

/** Of a line `id path`. */
function idOf(line: string): string {
  return line.split(' ', 1)[0] ?? ''
}

async function proofFindings(repository: Repository): Promise<Finding[]> {
  const { ok, stdout } = await tryGitOn(repository, ['notes', `--ref=${PROOF_REF}`, 'list'], { read: true })
  const notes = ok ? [...stdout.matchAll(/^([0-9a-f]+) ([0-9a-f]+)$/gm)] : []
  const findings: Finding[] = []
  for (const [, note = '', commit = ''] of notes) {
    const { ok: isRead, stdout: text } = await tryGitOn(repository, ['cat-file', 'blob', note], { read: true })
    const proof = isRead ? readProof(splitNote(text).text) : null
    if (proof !== null && (proof.commit ?? commit) === commit) continue
    const version = isRead ? versionIn(text) : 1
    if (version > FORMATS.proof) {
      const { message: detail, hint: fix } = newerFormat('its note', version, FORMATS.proof)
      findings.push({ level: 'warn', name: `proof of ${commit.slice(0, 10)}`, detail, fix })
      continue
    }
    findings.push({
      ...{ level: 'fail', name: `proof of ${commit.slice(0, 10)}` },
      detail: proof === null ? 'its note cannot be read' : `its note is about ${proof.commit}`,
      fix: `The checks can be run again on it: ao verify ${commit} --rerun`,
    })
  }
  return findings
}
