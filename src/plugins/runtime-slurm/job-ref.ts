// How a job is found again: by cluster, number and launch. Numbers begin anew when a controller loses its state.
import { AoError } from '../../contract/errors.ts'

export interface JobRef {
  jobId: string
  cluster: string
  spawnId: string
}

export function formatRef({ jobId, cluster, spawnId }: JobRef): string {
  return `${jobId}@${cluster}/${spawnId}`
}

export function parseRef(ref: string): JobRef {
  const [, jobId, cluster, spawnId] = /^(\d+)@([^/]+)\/(.+)$/.exec(ref) ?? []
  if (spawnId === undefined) throw new AoError('PLACE_FAILED', `${ref} does not name a job of Slurm`)
  return { jobId: jobId!, cluster: cluster!, spawnId }
}
