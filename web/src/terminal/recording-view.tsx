// The terminal of a session that has ended: its last screen, what was above it, and how it ended.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { RecordingAnswer } from '../../../src/contract/dashboard/answers.ts'
import { ask } from '../api/client.ts'
import { RequestError } from '../api/request-error.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { createScreen, type Screen } from './create-screen.ts'
import { keepNewest } from './keep-newest.ts'
import { readLetters, saveLetters } from './letters.ts'
import { TerminalFrame } from './terminal-frame.tsx'

interface Props {
  sessionId: string
  workspacePath: string | null
  /** When nothing was recorded. */
  otherwise: ReactNode
}

export function RecordingView({ sessionId, workspacePath, otherwise }: Props) {
  const recording = useQuery({
    queryKey: ['recording', sessionId],
    queryFn: ({ signal }) => ask('GET /api/sessions/:id/recording', { params: { id: sessionId }, signal }),
    retry: false,
  })
  if (recording.isPending) return <Spinner label="Reading the terminal" />
  if (recording.error instanceof RequestError && recording.error.code === 'NOT_RECORDED') return otherwise
  if (recording.error) return <ErrorState error={recording.error} onRetry={() => void recording.refetch()} />
  return <Recording key={recording.data.to} recording={recording.data} {...{ sessionId, workspacePath }} />
}

interface RecordingProps extends Omit<Props, 'otherwise'> {
  recording: RecordingAnswer
}

function Recording({ recording, sessionId, workspacePath }: RecordingProps) {
  const place = useRef<HTMLDivElement>(null)
  const [screen, setScreen] = useState<Screen | null>(null)
  const sizeNow = useRef(recording.size)
  useEffect(() => {
    if (!place.current) return
    const made = createScreen(place.current, { letters: readLetters(), workspacePath })
    setScreen(made)
    made.draw(recording.size)
    void drawAll(made, recording).then((size) => {
      sizeNow.current = size
    })
    const watch = new ResizeObserver(() => made.draw(sizeNow.current))
    watch.observe(place.current)
    const stopKeeping = keepNewest(made.terminal, place.current.parentElement ?? place.current)
    return () => {
      stopKeeping()
      watch.disconnect()
      setScreen(null)
      made.dispose()
    }
  }, [recording, workspacePath])
  return (
    <TerminalFrame
      label={`Recorded terminal of ${sessionId}`}
      screen={screen}
      place={place}
      hasLinks={workspacePath !== null}
      onLetters={(letters) => {
        saveLetters(letters)
        screen?.setLetters(letters)
        screen?.draw(sizeNow.current)
      }}
      news={<Ended recording={recording} sessionId={sessionId} />}
    />
  )
}

function Ended({ recording, sessionId }: { recording: RecordingAnswer; sessionId: string }) {
  const { ended, to, isCut, events } = recording
  const hasGaps = events.some(([kind, data]) => kind === 'm' && data.startsWith('not recorded'))
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2">
      <span className="flex items-center gap-1.5">
        <Icon name="stop" className="size-3.5" />
        <strong className="font-medium text-ink">
          {ended === null ? 'Its end was not recorded' : `The agent ended: ${ended}`}
        </strong>
      </span>
      <span>recorded until {new Date(to).toLocaleString()}</span>
      {hasGaps && <span className="text-attention">Parts are missing.</span>}
      {isCut && (
        <span>
          Older output: <code>ao session log {sessionId} --all</code>
        </span>
      )}
    </span>
  )
}

/** Resolves with the size at its end. */
async function drawAll({ terminal }: Screen, { events, size }: RecordingAnswer): Promise<RecordingAnswer['size']> {
  let now = size
  for (const [kind, data] of events) {
    if (kind === 'o') await new Promise<void>((resolve) => terminal.write(data, resolve))
    const [cols = 0, rows = 0] = kind === 'r' ? data.split('x').map(Number) : []
    if (cols > 0 && rows > 0) {
      now = { cols, rows }
      terminal.resize(cols, rows)
    }
  }
  // Nobody is typing there any more.
  await new Promise<void>((resolve) => terminal.write('\u001b[?25l', resolve))
  return now
}
