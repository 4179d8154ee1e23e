// The red button: stops every agent where it is, and lets everything go on. Without a question first: nothing is lost by it.
import { useMutation } from '@tanstack/react-query'
import { PAUSED_NOTICE } from '../../../src/contract/dashboard/cards.ts'
import { ask } from '../api/client.ts'
import { useBoard } from '../api/live.ts'
import { Button } from '../ui/button.tsx'
import { toast, toastError } from '../ui/overlay/toast.tsx'

const PAUSE = 'POST /api/pause'
const RESUME = 'POST /api/resume'

export function PauseButton() {
  const isPaused = useBoard()?.notices.some(({ id }) => id === PAUSED_NOTICE) === true
  const run = useMutation({
    mutationFn: async () => (isPaused ? (await ask(RESUME)).problems : (await ask(PAUSE)).problems),
    onSuccess: (problems) => problems.map((title) => toast({ tone: 'bad', title, detail: null })),
    onError: (error) => toastError(error),
  })
  const label = isPaused ? 'Resume' : 'Pause everything'
  return (
    <Button
      size="sm"
      variant={isPaused ? 'primary' : 'danger'}
      icon={isPaused ? 'play' : 'pause'}
      does={isPaused ? RESUME : PAUSE}
      runs={run}
      title={isPaused ? 'Let everything go on' : 'Stop every agent where it is'}
      aria-label={label}
    >
      <span className="max-xl:md:sr-only">{label}</span>
    </Button>
  )
}
