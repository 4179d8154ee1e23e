// A picture before and after a change, side by side.
import { Picture } from '../../ui/picture.tsx'
import type { DiffFile } from '../parse-diff.ts'

export type ImageUrl = (file: DiffFile, side: 'old' | 'new') => string

export function ImagePair({ file, urlOf }: { file: DiffFile; urlOf: ImageUrl }) {
  const sides = [
    ...(file.change === 'added' ? [] : [{ side: 'old' as const, word: 'Before' }]),
    ...(file.change === 'deleted' ? [] : [{ side: 'new' as const, word: 'After' }]),
  ]
  return (
    <div className="flex flex-wrap gap-4 p-3">
      {sides.map(({ side, word }) => (
        <figure key={side} className="flex min-w-40 flex-1 flex-col gap-1.5">
          <figcaption className={`text-xs font-medium ${side === 'old' ? 'text-bad' : 'text-good'}`}>{word}</figcaption>
          <Picture src={urlOf(file, side)} alt={`${file.path}, ${word.toLowerCase()}`} className="self-start" />
        </figure>
      ))}
    </div>
  )
}
