// The terminal of a session that has ended: its last screen, what was above it, and how it ended; played if somebody wants to.
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { RecordingAnswer } from '../../../src/contract/dashboard/answers.ts'
import { useAnswer } from '../api/answered.tsx'
import { RequestError } from '../api/request-error.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { formatDateTime } from '../ui/text/format.ts'
import { createScreen, type Screen } from './create-screen.ts'
import type { Canvas } from './draw-recording.ts'
import { keepNewest } from './keep-newest.ts'
import { readLetters, saveLetters } from './letters.ts'
import { createPlayer, type Player } from './player.ts'
import { PlayerBar, playByKey } from './player-bar.tsx'
import { TerminalFrame } from './terminal-frame.tsx'

interface Props {
  sessionId: string
  workspacePath: string | null
  /** When nothing was recorded. */
  otherwise: ReactNode
}

/** An end that is not recorded by then will not be. */
const MOST_READS = 5

export function RecordingView({ sessionId, workspacePath, otherwise }: Props) {
  const recording = useAnswer(
    ['recording', sessionId],
    'GET /api/sessions/:id/recording',
    { params: { id: sessionId } },
    {
      // Its last moments may still be on their way to the disk.
      refetchInterval: ({ state }) =>
        state.data?.ended === null && state.dataUpdateCount < MOST_READS ? 1_000 : false,
    },
  )
  if (recording.isPending) return <Spinner label="Reading the terminal" />
  if (recording.error instanceof RequestError && recording.error.code === 'NOT_RECORDED') return otherwise
  if (recording.error) return <ErrorState error={recording.error} onRetry={() => void recording.refetch()} />
  return <Recording key={recording.data.to} recording={recording.data} {...{ sessionId, workspacePath }} />
}

interface RecordingProps extends Omit<Props, 'otherwise'> {
  recording: RecordingAnswer
}

function Recording({ recording, sessionId, workspacePath }: RecordingProps) {
  const container = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => {
    if (!container.current) return
    const made = show(container.current, recording, workspacePath)
    setShown(made)
    return () => {
      setShown(null)
      made.close()
    }
  }, [recording, workspacePath])
  return (
    <TerminalFrame
      label={`Recorded terminal of ${sessionId}`}
      screen={shown?.screen ?? null}
      container={container}
      hasLinks={workspacePath !== null}
      onLetters={(letters) => {
        saveLetters(letters)
        shown?.setLetters(letters)
      }}
      news={<Ended recording={recording} sessionId={sessionId} />}
      below={shown && shown.player.state().length > 0 && <PlayerBar player={shown.player} />}
    />
  )
}

interface Shown {
  screen: Screen
  player: Player
  setLetters(size: number | null): void
  close(): void
}

/** Renders the recording into its element. */
function show(container: HTMLElement, recording: RecordingAnswer, workspacePath: string | null): Shown {
  const screen = createScreen(container, { letters: readLetters(), workspacePath })
  const { terminal } = screen
  let size = recording.size
  const draw = (next = size) => {
    size = next
    screen.draw(size)
  }
  draw()
  const canvas: Canvas = {
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    resize: draw,
    clear(first) {
      terminal.reset()
      draw(first)
    },
  }
  const player = createPlayer(recording, canvas, (act) => {
    const frame = requestAnimationFrame(act)
    return () => cancelAnimationFrame(frame)
  })
  terminal.attachCustomKeyEventHandler((event) => takesKey(event, player))
  const watch = new ResizeObserver(() => draw())
  watch.observe(container)
  const stopKeeping = keepNewest(terminal, container.parentElement ?? container)
  return {
    screen,
    player,
    setLetters(letters) {
      screen.setLetters(letters)
      draw()
    },
    close() {
      player.close()
      stopKeeping()
      watch.disconnect()
      screen.dispose()
    },
  }
}

/** In the terminal: Space plays, arrows move; Tab leaves it, as everywhere on the page. false: xterm leaves the key alone. */
function takesKey(event: KeyboardEvent, player: Player): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.type === 'keydown' && playByKey(event.key, player)) event.preventDefault()
  return event.key.startsWith('Page')
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
      <span className="max-sm:hidden">recorded until {formatDateTime(to)}</span>
      {hasGaps && <span className="text-attention">Parts are missing.</span>}
      {isCut && (
        <span>
          Older output: <code>ao session log {sessionId} --all</code>
        </span>
      )}
    </span>
  )
}
