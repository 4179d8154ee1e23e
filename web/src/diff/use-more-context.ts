// More unchanged lines around the changes of a file, on request: first some, then the whole file.
import { useCallback, useEffect, useRef, useState } from 'react'
import { hintOf } from '../ui/error-state.tsx'
import { toast } from '../ui/overlay/toast.tsx'
import { type DiffFile, parseDiff } from './parse-diff.ts'

export type LoadFile = (file: DiffFile, context: number) => Promise<string>

const STEPS = [25, 1_000_000]

interface Wider {
  file: DiffFile
  step: number
}

export function useMoreContext(files: readonly DiffFile[], load: LoadFile | undefined) {
  const [wider, setWider] = useState<ReadonlyMap<DiffFile, Wider>>(new Map())
  const latest = useRef({ load, wider })
  useEffect(() => {
    latest.current = { load, wider }
  })
  // Of files of an earlier diff nothing is kept.
  useEffect(() => setWider((before) => new Map([...before].filter(([file]) => files.includes(file)))), [files])
  const showMore = useCallback(async (file: DiffFile) => {
    const step = (latest.current.wider.get(file)?.step ?? -1) + 1
    const context = STEPS[step]
    if (context === undefined || !latest.current.load) return
    try {
      const [found] = parseDiff(await latest.current.load(file, context))
      // It was changed since, or is too large: what is shown stays.
      if (!found || found.path !== file.path || found.hunks.length === 0) throw new Error('There is no more to show')
      setWider((before) => new Map(before).set(file, { file: found, step }))
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      toast({ tone: 'bad', title: failure.message, detail: hintOf(failure) })
    }
  }, [])
  return {
    shownOf: (file: DiffFile) => wider.get(file)?.file ?? file,
    canShowMore: (file: DiffFile) =>
      load !== undefined &&
      (file.change === 'modified' || file.change === 'renamed') &&
      file.hunks.length > 0 &&
      (wider.get(file)?.step ?? -1) + 1 < STEPS.length,
    showMore,
  }
}
