// What is reported about objects that are not what their ids say, however that came about.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import type { Repository } from '../repository.ts'

/** `id` null: git did not name it. */
export function damagedObject({ commonDir }: Repository, id: string | null, cause?: unknown): AoError {
  const what = id === null ? 'An object' : `The object ${id}`
  const file = id === null ? null : join(commonDir, 'objects', id.slice(0, 2), id.slice(2))
  const isLoose = file !== null && existsSync(file)
  const why = cause === undefined ? '' : ` (${errorText(cause)})`
  return new AoError(
    'GIT_OBJECT_DAMAGED',
    `${what} in ${commonDir} does not have the content that its id stands for; nothing that contains it is shown, checked or merged${why}`,
    {
      hint: isLoose
        ? `Move it away, and let its author commit again or fetch it: mv '${file}' '${file}.damaged'`
        : `Find all such objects with: git -C '${commonDir}' fsck --full`,
      details: { commonDir, id },
    },
  )
}
