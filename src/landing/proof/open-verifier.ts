// Checks the proof of a landed commit again, on whichever forge it landed. Reads only, except for `rerun`.
import type { ProjectConfig } from '../../contract/config.ts'
import { openRepository, type Repository } from '../../git/repository.ts'
import type { HostedScm } from '../hosted/hosted-train.ts'
import type { OwnTrain } from '../own-train.ts'
import type { Verified } from './landed-commits.ts'

export type TrainKind = { kind: 'own'; train: OwnTrain } | { kind: 'hosted'; scm: HostedScm }

export interface VerifierRequest {
  where: TrainKind
  project: ProjectConfig
  projectDir: string
  env: NodeJS.ProcessEnv
  /** The train's own files. */
  directory: string
  /** Also runs the checks again; whoever asks for it has made sure of the consent. */
  rerun: boolean
}

export interface Verifier {
  repository(): Repository
  verify(commit: string): Promise<Verified>
}

export async function openVerifier({ where, ...request }: VerifierRequest): Promise<Verifier> {
  const { project, projectDir, env, directory, rerun } = request
  const repository = openRepository(project.path, env)
  if (where.kind === 'own') {
    const verify = (commit: string) => where.train.verify({ directory, commit, rerun })
    return { repository: () => repository, verify }
  }
  const [{ openGates }, { verifyHosted }] = await Promise.all([
    import('../checks/project-gates.ts'),
    import('../hosted/verify-hosted.ts'),
  ])
  // Only read here.
  const gates = openGates({ project, projectDir, env, requireTrust: () => undefined })
  const context = { project, scm: where.scm, repository, gates, rerun: rerun ? { directory } : undefined }
  return { repository: () => repository, verify: (commit) => verifyHosted(context, commit) }
}
