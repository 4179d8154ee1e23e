// A ref for the commits of a closed or merged pull request, so that its diff can be read when its branch is gone.
import { gitOn } from '../../git/repository.ts'
import type { LocalForge } from '../types.ts'

export function headRef(forge: LocalForge, number: number): string {
  return `refs/ao/pulls/${forge.project.id}/${number}`
}

export async function keepHead(forge: LocalForge, number: number, headSha: string): Promise<void> {
  await gitOn(forge.repository(), ['update-ref', headRef(forge, number), headSha])
}
