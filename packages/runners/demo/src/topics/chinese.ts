import type { Topic } from '../topic.ts';

export const chinese: readonly Topic[] = [
  {
    id: 'greeting',
    keywords: [],
    hints: ['你好', '您好', '嗨', '哈喽', '早上好', '晚上好', '大家好'],
    answer: '你好！你正在通过内置的演示与 Rostra 对话。',
    next: '可以问我怎样启动、停止或恢复一次运行，或者输入 /help 看能现场演示的命令。',
    detail: '可以问我运行怎样被记录、取消和恢复；/stream 50 和 /slow 20 200 能看到其中的机制。',
  },
  {
    id: 'thanks',
    keywords: [],
    hints: ['谢谢', '多谢', '感谢', '再见', '拜拜', '不错', '很好'],
    answer: '不客气。',
    next: '想继续看的时候，/help 会列出我能演示的内容。',
    detail: '如果有什么看起来不对，会话保留了它的每个事件，之后也能查到。',
  },
  {
    id: 'what',
    keywords: [
      'rostra是什么',
      'rostra 是什么',
      '什么是rostra',
      '什么是 rostra',
      '这是什么',
      '介绍一下',
      '做什么用',
      '有什么用',
      '干什么的',
    ],
    hints: ['rostra'],
    answer:
      'Rostra 是所有智能体共用的一个主机：它接收消息，决定由哪个智能体回答，在独立进程里运行它，并把回答实时传给每个关注者。',
    next: '可以再发一条消息，或者用 /stream 50 看流式输出，用 /slow 20 200 试试中途停止。',
    detail: '主机负责身份、顺序、持久化和投递；运行器负责提示词、记忆和工具循环。每条记录都先提交，客户端才看得到。',
  },
  {
    id: 'who',
    keywords: [
      '你是谁',
      '你叫什么',
      '你的名字',
      '你是人',
      '你是ai',
      '你是机器人',
      '介绍你自己',
      '自我介绍',
      'guide',
      'scout',
    ],
    answer: '我是 Rostra 的演示运行器；背后没有模型，只有一份回答列表和一些命令。',
    next: '我作为 guide 给你带路；scout 是这个会话的另一个智能体，负责细节。可以从 /help 开始。',
    detail: '我作为 scout 讲细节；guide 给新来的人带路。我们是同一个运行器的两份配置。',
  },
  {
    id: 'start',
    keywords: ['启动', '安装', '开始使用', '怎么开始', '如何开始', '怎么用', '如何使用', '运行起来', '部署', '端口'],
    answer: '`npm start` 会安装并构建缺少的部分，然后在 127.0.0.1:8787 提供服务。',
    next: '打开它打印的链接，浏览器就登录了；`npx rostra open` 会再给一个。',
    detail:
      'ROSTRA_HOST 和 ROSTRA_PORT 改地址，ROSTRA_DATA 改数据目录；默认端口被占用时会换到下一个空闲端口。/healthz 和 /readyz 不需要密钥。',
  },
  {
    id: 'cancel',
    keywords: ['停止', '取消', '中止', '中断', '打断', '停下', '关闭', '终止'],
    answer: 'POST /api/v1/agent/runs/{taskId}/cancel 会停止一轮，已经输出的文字保留；Ctrl-C 停止主机本身。',
    next: '试一下：发送 /slow 100 200，中途取消；或者 /hang，它只有取消才会结束。',
    detail:
      '运行器会收到 CANCEL_RUN，它的回答就是确认；像 /hang hard 那样不回应的，五秒后强制取消。加上 ?wait=1，请求会等这一轮结束再返回。',
  },
  {
    id: 'resume',
    keywords: ['恢复', '重连', '重新连接', '断线', '断开', '刷新', '断网', '续传', '接着看', '重新加载'],
    answer:
      '流可以中断后再接上：请求 …/events 时在 Last-Event-ID 里带上最后看到的 id，就会从它之后继续，不缺也不重复。',
    next: '用 /slow 50 200 试试：停掉 curl，再加上 -H "Last-Event-ID: …" 启动。',
    detail: '流是日志的一个视图，id 表示记录、记录中的帧和写入它的纪元。同一个 id，所有关注者得到的字节都相同。',
  },
  {
    id: 'restart',
    keywords: ['重启', '崩溃', '宕机', '断电', '被杀', '挂了', '丢失', '丢数据', '会丢', '持久', '可靠'],
    answer:
      '主机崩溃时，客户端看到过的内容不会丢：重启之后，只要运行器能接着做（我就可以），回答会从中断处继续；否则文字保留，这一轮以 `host.restarted` 失败结束。',
    next: '试一下：发送 /slow 200 100，中途停掉主机再启动。/crash 只让运行器崩溃：这一轮会明确结束，下一条消息照常工作。',
    detail: '记录先提交再显示；接受的输入和结束还会等到落盘。崩溃的运行器会在下一次运行时重新启动。',
  },
  {
    id: 'agents',
    keywords: [
      '多个智能体',
      '几个智能体',
      '别的智能体',
      '另一个智能体',
      '其他智能体',
      '智能体',
      '移交',
      '转交',
      '交接',
      '切换',
      '代理',
      '协作',
    ],
    answer: '一个会话有一份智能体名单，同一时间只有一个在说话；这里是 guide（当前）和 scout。',
    next: '试试 /handover scout 需要细节：先征求你的同意，再由 scout 继续。写 @scout 加问题，可以直接问它。',
    detail: '切换、邀请、移除和移交都是会话日志里的消息，由同一个纯函数决定；移交会在你的收件箱里等你确认或拒绝。',
  },
  {
    id: 'runner',
    keywords: [
      '自己的智能体',
      '自己的运行器',
      '写一个智能体',
      '写一个运行器',
      '开发智能体',
      '自定义',
      '运行器',
      '插件',
      '开发',
      'sdk',
      'runner',
    ],
    answer:
      '运行器是一个小程序：`defineRunner({ manifest, run })` 加一个产生结果的异步生成器，再 `serve([runner])`；SDK 在 packages/runner-sdk。',
    next: '`npx rostra create-runner ../my-runner` 生成一个 TypeScript 的，加 `--lang python` 就是 Python 的；在 rostra.yaml 里写一行 `runners: [../my-runner]`，它就会回答。其余见 docs/writing-a-runner.md。',
    detail:
      '它在标准输入输出上，或从另一台机器经 websocket 说 JSON-RPC：收 RUN_AGENT，发 RUN_ACCEPTED 和 RESULTS，最多领先已提交内容 256 个结果。docs/runner-wire.md 逐行说明。',
  },
  {
    id: 'model',
    keywords: [
      '模型',
      '大模型',
      '真正的ai',
      '通义',
      '文心',
      'gpt',
      'openai',
      'claude',
      'deepseek',
      'qwen',
      'llm',
      'ollama',
    ],
    answer:
      '我背后没有模型，但接上真正的模型只要两行：`export ANTHROPIC_API_KEY=…` 和 `npm start`。也可以用 OPENAI_API_KEY 或 GEMINI_API_KEY，或者这台机器上的 Ollama。',
    next: '之后由智能体 `assistant` 回答；输入 4，我会告诉你在这台机器上找到了什么。',
    detail:
      '运行只能经过主机使用模型、工具和文档，授权在开始前就冻结；每次调用都会检查、计数并记录。怎样授予，见 docs/models-tools-knowledge.md。',
  },
  {
    id: 'data',
    keywords: [
      '数据',
      '数据库',
      '存在哪',
      '保存在',
      '存储',
      '目录',
      '文件夹',
      '备份',
      '在哪里',
      '在哪儿',
      '清空',
      'sqlite',
    ],
    answer: '所有内容都在程序旁边的 ./.rostra 目录里：SQLite 中的日志，以及所有者密钥。',
    next: 'ROSTRA_DATA 可以换目录；想重新开始，先停掉主机，再删除这个目录。',
    detail: '日志只追加：每个提交单元一行，用哈希相连，每条记录有连续的编号。同一目录上的第二个主机会被拒绝。',
  },
  {
    id: 'api',
    keywords: ['接口', '调用', '请求', '集成', '对接', '客户端', 'api', 'curl', 'http', 'sse'],
    answer:
      'POST /api/v1/agent/runs 接收消息并返回 202 和 taskId；GET /api/v1/agent/runs/{taskId}/events 以流的方式返回回答。',
    next: 'README.md 里有可以粘贴的 curl，本机的 /api/v1/reference 列出全部接口。',
    detail:
      '请求体是 RunAgentInput，恰好一条 user 消息；流是 AG-UI 形式、带 id 的服务器推送事件。同一会话里相同的 runId 无论发几次都是同一轮。',
  },
  {
    id: 'security',
    keywords: ['安全', '权限', '授权', '密钥', '密码', '认证', '鉴权', '隐私', '令牌', '沙箱'],
    answer: '除非你另有设置，Rostra 只在本机监听，每次接口调用都需要 .rostra/owner.key 里的所有者密钥。',
    next: '用 Authorization: Bearer $(cat .rostra/owner.key) 发送；ROSTRA_API_KEY 可以设置自己的密钥。',
    detail:
      '每次运行的授权在开始前就冻结，每次调用都会检查。运行器是环境干净的独立进程；`isolation: confined` 或 `strict` 还会让它看不到机器的大部分。',
  },
  {
    id: 'performance',
    keywords: ['性能', '速度', '多快', '延迟', '吞吐', '并发', '压测', '基准', '很慢', '快不快'],
    answer: '`npm run bench` 在你的机器上测量，对照的是写出同样的流、但什么都不记录的普通 Node 服务器。',
    next: '想先有个印象，可以试试 /stream 10000。',
    detail: '同一拍的结果合成一行，一次提交服务很多会话，每个流每拍只写一次；运行器在两次运行之间保持预热。',
  },
  {
    id: 'log',
    keywords: ['日志', '事件', '记录', '历史', '回放', '审计', '记忆', '记得', '记住', '上下文'],
    answer: '会话就是一份有序的日志：进来的、决定的、发出的，每条都有编号。',
    next: '任何时候都可以用 GET /api/v1/agent/runs/{taskId}/events 再读一遍。',
    detail:
      '会话是这份日志上的纯函数，所以可以用 `npx rostra replay` 完整回放。智能体在授权之下读取之前的消息；/history 会显示我能读到的。',
  },
  {
    id: 'roadmap',
    keywords: ['路线图', '计划', '将来', '未来', '还缺', '什么时候', '版本', '进度', '完成了'],
    answer:
      '现在能用的：多个智能体的会话、持久的流、停止、恢复、重启、向人提问、文件、真正的模型、工具、文档、自己的运行器，以及这个聊天页面。还会有：控制台的其他页面、Claude Code 和 Codex 的运行器，以及多节点部署。',
    next: '顺序见 docs/ROADMAP.md。',
    detail: 'docs/spec/coverage.md 说明规范的每一条是否已经有测试证明。',
  },
  {
    id: 'help',
    keywords: ['帮助', '命令', '能做什么', '会什么', '可以做什么', '例子', '示例', '演示', '试一下', '试试'],
    answer: '我回答关于 Rostra 的问题，也能执行展示主机能力的命令。',
    next: '/help 列出全部命令，可以先试 /stream 50。',
    detail: '/help 列出全部命令；/crash、/hang hard 和 /fail 是用来考验主机的。',
  },
];

export const chineseDefault: Topic = {
  id: 'default',
  keywords: [],
  answer: '这超出了我的列表：我是没有模型的演示，只了解 Rostra。',
  next: '可以问我怎样启动、取消或恢复运行，数据在哪里，接口怎么用；/help 列出我能演示的内容。',
  detail: '可以问我日志、授权、运行器、重启或性能；/help 列出会用到它们的命令。',
};
