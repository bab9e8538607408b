import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { Unit } from '../../packages/host/src/store/port.ts';

export const QUERY = '用户之前提到的数据库连接信息';
export const NEEDLE = '数据库的连接串是 postgres://rostra:***@10.0.0.7:5432/app，密码另发。';

/** What people talk about: words of the query are among the common ones. */
const words =
  '今天 天气 我们 可以 使用 系统 配置 文件 服务 启动 失败 日志 检查 网络 端口 密码 修改 部署 测试 代码 分支 合并 请求 响应 错误 时间 任务 计划 会议 报告 项目 客户 需求 设计 接口 文档 更新 版本 发布 回滚 用户 监控 告警 内存 磁盘 进程 线程 缓存 队列 消息 订阅 权限 登录 注册 邮件 通知 图片 上传 下载 搜索 索引 排序 分页 表格 字段 主键 事务 备份 恢复 迁移 集群 节点 负载 均衡 容器 镜像 编排 脚本 变量 函数 对象 数组 字符串 正则 表达式 循环 条件 异常 调试 断点 性能 优化 压力 并发 延迟 吞吐 之前 提到 数据 信息 连接 the server restart please check again database connection user'.split(
    ' ',
  );

/** Numbers that are the same every time. */
function* numbers(): Generator<number, never> {
  let state = 0x2545f491;
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield (state >>> 0) / 2 ** 32;
  }
}

function sentence(next: () => number): string {
  const count = 6 + Math.floor(next() * 34);
  let text = '';
  for (let n = 0; n < count; n += 1) {
    const word = words[Math.floor(next() * words.length)] ?? '';
    text += /^[a-z]/.test(word) ? ` ${word} ` : word;
    if (next() < 0.1) text += '，';
  }
  return text;
}

function row(session_id: string, seq: number, content: string): TranscriptRow {
  const isUser = seq % 2 === 1;
  return {
    session_id,
    seq,
    item_id: `${session_id}/${seq}`,
    thread_id: null,
    bot_id: null,
    actor_id: 'owner',
    turn_id: `${session_id}-t`,
    run_id: null,
    event_id: `${session_id}-t`,
    event_type: isUser ? 'message.received' : 'message.completed',
    role: isUser ? 'user' : 'assistant',
    item_type: 'message',
    actor: { type: isUser ? 'user' : 'agent', id: isUser ? 'owner' : 'guide' },
    content,
    content_json: null,
    attachments: [],
    ui_schema: null,
    created_at: 1_000 + seq,
    metadata: {},
    client_id: null,
    supersedes: null,
  };
}

/** Units that fill some sessions with so many messages, one of which is sought; the first session has half of them. */
export function* corpus(messages: number): Generator<Unit> {
  const source = numbers();
  const next = () => source.next().value;
  const heads = new Map<string, number>();
  const batch = 500;
  for (let made = 0; made < messages; made += batch) {
    const index = made / batch;
    const session_id = index % 2 === 0 ? 'talk' : `other-${index % 16}`;
    const from = heads.get(session_id) ?? 0;
    const transcript = Array.from({ length: Math.min(batch, messages - made) }, (_, n) =>
      row(session_id, from + n + 1, made === 0 && n === 42 ? NEEDLE : sentence(next)),
    );
    const last_seq = from + transcript.length;
    heads.set(session_id, last_seq);
    const body = transcript.map(({ seq }) => `{"seq":${seq}}\n`).join('');
    yield {
      session_id,
      epoch: 1,
      expected_seq: from,
      last_seq,
      time: 1_000,
      flush: false,
      fresh: true,
      segments: [{ first_seq: from + 1, last_seq, epoch: 1, time: 1_000, body }],
      context: null,
      created: from === 0 ? { workspace_id: 'workspace', owner_id: 'owner' } : null,
      turns: [],
      runs: [],
      transcript,
      events: [],
      interactions: [],
      message_ids: [],
      outbox_add: [],
      outbox_remove: [],
    };
  }
}
