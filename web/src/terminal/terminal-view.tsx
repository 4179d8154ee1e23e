// A session's terminal: read-only until the person chooses to type.
import { useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { toast } from '../ui/overlay/toast.tsx'
import { SpinnerRing } from '../ui/spinner.tsx'
import { Kbd } from '../ui/text/kbd.tsx'
import { createScreen, type Screen } from './create-screen.ts'
import { keepNewest } from './keep-newest.ts'
import { KeyRow } from './key-row.tsx'
import { readLetters, saveLetters } from './letters.ts'
import { TerminalFrame } from './terminal-frame.tsx'
import { type OpenTerminal, openTerminal, type TerminalNews } from './terminal-socket.ts'

interface Props {
  sessionId: string
  canType: boolean
  workspacePath: string | null
}

export function TerminalView({ sessionId, canType, workspacePath }: Props) {
  const container = useRef<HTMLDivElement>(null)
  const typeButton = useRef<HTMLButtonElement>(null)
  const [typing, setTyping] = useState(false)
  const [news, setNews] = useState<TerminalNews>({ state: 'opening' })
  const [selected, setSelected] = useState('')
  const [shown, setShown] = useState<Shown | null>(null)
  const change = (next: boolean) => {
    setTyping(next)
    // Its connection is a new one and not open yet: nothing may claim that it is.
    setNews({ state: 'opening' })
  }
  useEffect(() => {
    if (!container.current) return
    const made = show(container.current, {
      sessionId,
      typing,
      workspacePath,
      onNews: setNews,
      onSelect: setSelected,
      onLeave() {
        setTyping(false)
        setNews({ state: 'opening' })
        typeButton.current?.focus()
      },
    })
    setShown(made)
    return () => {
      setShown(null)
      made.close()
    }
  }, [sessionId, typing, workspacePath])
  return (
    <TerminalFrame
      label={`Terminal of ${sessionId}`}
      screen={shown?.screen ?? null}
      container={container}
      hasLinks={workspacePath !== null}
      onLetters={(letters) => {
        saveLetters(letters)
        shown?.setLetters(letters)
      }}
      news={<News news={news} typing={typing} />}
      actions={
        <>
          {selected !== '' && (
            <Button size="sm" variant="ghost" icon="copy" onClick={() => void copy(selected)}>
              Copy selection
            </Button>
          )}
          <Button
            ref={typeButton}
            size="sm"
            icon={typing ? 'eye' : 'keyboard'}
            aria-pressed={typing}
            does="POST /api/sessions/:id/ticket"
            disabled={!canType && !typing}
            onClick={() => change(!typing)}
          >
            {typing ? 'Stop typing' : 'Type'}
          </Button>
        </>
      }
      below={typing && news.state === 'open' && shown && <KeyRow screen={shown.screen} type={shown.type} />}
    />
  )
}

function News({ news, typing }: { news: TerminalNews; typing: boolean }) {
  return (
    <span role="status" className="flex min-w-0 items-center gap-1.5">
      {news.state === 'opening' && (
        <>
          <SpinnerRing className="size-3" /> Opening<span className="max-sm:sr-only"> the terminal</span>…
        </>
      )}
      {news.state === 'open' && !typing && (
        <>
          <Icon name="eye" className="size-3.5" />
          <span className="truncate">
            Only looking<span className="max-sm:sr-only">. Nothing you press reaches the agent.</span>
          </span>
        </>
      )}
      {news.state === 'open' && typing && (
        <>
          <Icon name="keyboard" className="size-3.5 text-attention" />
          <span className="text-attention">What you type reaches the agent.</span>
          <span className="max-sm:hidden">
            <Kbd>Shift</Kbd> <Kbd>Esc</Kbd> stops
          </span>
        </>
      )}
      {news.state === 'lost' && (
        <>
          <SpinnerRing className="size-3" />
          <span className="text-bad">{news.why} Trying again…</span>
        </>
      )}
      {news.state === 'ended' && (
        <>
          <Icon name="stop" className="size-3.5" /> {news.why}
        </>
      )}
    </span>
  )
}

interface Show {
  sessionId: string
  typing: boolean
  workspacePath: string | null
  onNews: (news: TerminalNews) => void
  onSelect: (text: string) => void
  onLeave: () => void
}

interface Shown {
  screen: Screen
  type(text: string): void
  setLetters(size: number | null): void
  close(): void
}

/** Renders the terminal into its element. */
function show(container: HTMLElement, options: Show): Shown {
  const { sessionId, typing, onNews, onSelect, onLeave } = options
  const screen = createScreen(container, { letters: readLetters(), workspacePath: options.workspacePath })
  const { terminal } = screen
  let size = screen.fitting()
  const line: OpenTerminal = openTerminal({
    sessionId,
    mode: typing ? 'write' : 'read',
    size,
    handlers: {
      onNews(news) {
        terminal.options.disableStdin = news.state !== 'open' || !typing
        if (news.state === 'open' && typing) terminal.focus()
        onNews(news)
      },
      onSize(next) {
        size = next
        screen.draw(next)
      },
      onReset: () => terminal.reset(),
      onBytes: (bytes) => terminal.write(bytes, () => line.drawn(bytes.length)),
    },
  })
  terminal.onData((text) => typing && line.type(text))
  terminal.onSelectionChange(() => onSelect(terminal.getSelection()))
  terminal.attachCustomKeyEventHandler((event) => takesKey(event, { screen, typing, onLeave }))
  const redraw = () => {
    if (typing) line.resize(screen.fitting())
    else screen.draw(size)
  }
  const watch = new ResizeObserver(redraw)
  watch.observe(container)
  const stopKeeping = keepNewest(terminal, container.parentElement ?? container)
  return {
    screen,
    type: (text) => line.type(text),
    setLetters(letters) {
      screen.setLetters(letters)
      redraw()
    },
    close() {
      stopKeeping()
      watch.disconnect()
      line.close()
      screen.dispose()
      onSelect('')
    },
  }
}

interface KeyContext {
  screen: Screen
  typing: boolean
  onLeave: () => void
}

/** false: xterm leaves the key to the page. */
function takesKey(event: KeyboardEvent, { screen, typing, onLeave }: KeyContext): boolean {
  if (event.type !== 'keydown') return true
  if (event.key === 'Escape' && event.shiftKey) {
    onLeave()
    return false
  }
  const isCopy = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'c' && (event.shiftKey || !typing)
  if (isCopy && screen.terminal.hasSelection()) {
    event.preventDefault()
    void copy(screen.terminal.getSelection())
    return false
  }
  // When not typing, Tab moves on, as everywhere else on the page.
  return typing
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast({ tone: 'good', title: 'Copied' })
  } catch {
    // Browsers allow it only on secure pages; the person is shown an alternative.
    toast({ tone: 'bad', title: 'The browser does not allow copying here', detail: 'Press Ctrl+C instead.' })
  }
}
